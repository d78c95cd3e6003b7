"""Pure formulas between the mismatch, the divergence and the Bayes error."""
