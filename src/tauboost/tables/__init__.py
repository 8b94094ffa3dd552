"""Tables: every threshold of every column is a weak hypothesis, fitted as one convex problem."""
