"""Games of many: tables by places or points, long and wide."""
