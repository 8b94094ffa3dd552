"""What the weak hypotheses of a data set are, and how they lie in the core."""
