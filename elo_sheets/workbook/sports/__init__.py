"""The words of sports: profiles, which one a log speaks of, and templates in its words."""
