"""The league: players, games, standings, the card of a player."""
