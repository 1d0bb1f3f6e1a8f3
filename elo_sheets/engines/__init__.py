"""Spreadsheet engines, and what a spreadsheet makes of values."""
