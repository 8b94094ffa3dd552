"""Choosing by what is held out: folds, searches over batched fits, regularization paths."""
