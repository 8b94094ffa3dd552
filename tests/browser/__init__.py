"""Pages in a real browser: what they look like, and that nothing runs or leaves them."""
