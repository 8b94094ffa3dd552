"""Golden values: what the public names give, to 17 digits, held against what they gave before."""
