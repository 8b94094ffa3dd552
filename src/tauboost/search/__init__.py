"""Choosing by validation loss: folds, searches over batched fits, regularization paths."""
