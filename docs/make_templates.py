"""Write elo_sheets/listed.json: what `templates`, `systems` and `profiles` list, so that they need import no rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from elo_sheets.systems import SYSTEMS
from elo_sheets.workbook.fits import fitting_systems, view_of
from elo_sheets.workbook.sports import profiles
from elo_sheets.workbook.templates import LISTED, template

FILE = Path(__file__).parents[1] / "elo_sheets" / "listed.json"


def templates() -> list[dict[str, Any]]:
    """Return a record for each template."""
    return [
        {
            "name": name,
            "title": form["title"],
            "about": form["about"],
            "systems": list(fitting_systems(name)),
            "sheets": list(dict.fromkeys(sheet["name"] for sheet in form["sheet"] if not sheet.get("hidden"))),
            "modern_sheets": list(view_of(name).modern_sheets),
        }
        for name in LISTED
        for form in [template(name)]
    ]


def page() -> str:
    """Return the text of the file."""
    found = {
        "systems": [{"name": name, "about": rules.about} for name, rules in SYSTEMS.items()],
        "profiles": [profiles.record(profiles.profile(name)) for name in profiles.names()],
        "templates": templates(),
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
