"""Choosing the strength of psi, and the fit at it: batches of fits, searches, paths."""
