"""`serve`: a log dropped on a page becomes a book, a book gets its verdict; on this machine alone."""
