"""The journal: one player's games, pools, goals and plans."""
