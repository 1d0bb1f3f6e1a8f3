"""Games and a system to a history: periods, the loop, its source."""
