"""Choosing the strength of psi and the number of sweeps: lanes, races, paths."""
