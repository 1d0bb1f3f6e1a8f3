"""Calculators: two ratings and a result, or a few games that are independent of each other."""
