"""Rating lists: pools that are rated by the month or the year."""
