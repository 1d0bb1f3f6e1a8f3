"""The comparison: one log of games under several systems."""
