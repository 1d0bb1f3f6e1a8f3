"""The event: a tournament report by the rules of a federation."""
