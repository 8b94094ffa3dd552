"""Mutated files of every format that tauboost reads, and what becomes of each: see files.py."""
