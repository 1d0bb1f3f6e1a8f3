"""Expectations without updates: matrices and pairings."""
