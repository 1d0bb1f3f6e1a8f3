"""Ratings that are closed by sums: periods, tournaments, cross tables, performances."""
