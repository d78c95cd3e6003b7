"""What the neighbours say of a sample: smooth trend, posteriors, rank curve."""
