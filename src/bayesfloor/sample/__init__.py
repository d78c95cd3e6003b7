"""The gate: anything that holds a labelled sample becomes a trusted `Sample`."""
