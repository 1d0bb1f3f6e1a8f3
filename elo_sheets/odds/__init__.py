"""Odds and performances: what the calculators answer."""
