"""Hostile input through every public entry point: see ``runner`` for what counts as right."""
