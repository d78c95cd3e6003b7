"""Items with several votes each: their counts, and what these say of the Bayes error."""
