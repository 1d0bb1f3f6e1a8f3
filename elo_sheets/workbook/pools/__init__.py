"""Pools: players and their games as they are typed, and the Ledger that rates them; most templates stand on it."""
