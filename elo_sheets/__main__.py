"""`python -m elo_sheets`."""

from elo_sheets.cli import main

main()
