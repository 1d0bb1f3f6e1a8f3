"""The calculators: cells with a name each, laid out as the lines of a template say."""
