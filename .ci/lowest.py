"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
for line in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
    name, lowest = re.match(r"([\w-]+)>=([\w.]+)", line).groups()
    print(f"{name}=={lowest}")  # noqa: T201
