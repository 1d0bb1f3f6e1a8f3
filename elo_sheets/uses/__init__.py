"""What the commands call: import, replay, explain, predict, simulate, compare."""
