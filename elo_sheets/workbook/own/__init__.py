"""What a user brings: templates, columns, and rules that are not built in."""
