"""Doubles, teams and tables: games of sides with a row of the Ledger for each player."""
