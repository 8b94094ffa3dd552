"""What is shipped, tried as those who install it would: `make wheel` and `make sdist`."""
