"""Texts: what is counted, the fit, the model, explanations."""
