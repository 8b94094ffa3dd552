"""Sparse matrices: the problem over their columns, batched fits, the linear model."""
