"""The profiles of sports: TOML files that say how a sport calls its sides, results and scores.

A file that is put here is a profile by its name; `elo_sheets/workbook/sports/profiles.py` reads them and says what they
hold.
"""
