"""Match odds: a model of a game, and the formats of a match."""
