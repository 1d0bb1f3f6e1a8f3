"""The page of calculators: the rules printed as JavaScript, in one file that opens from disk."""
