"""The workbook templates, one TOML file each; opened with `importlib.resources`."""
