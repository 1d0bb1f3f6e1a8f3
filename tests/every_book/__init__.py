"""Every template with every system that fits it: blank, with 40 games and with 2,000 of real logs."""
