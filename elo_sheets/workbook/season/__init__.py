"""The season: a team league with fixtures, a table and forecasts."""
