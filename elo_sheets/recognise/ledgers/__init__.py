"""Ledgers: games that hand ratings on from one to the next."""
