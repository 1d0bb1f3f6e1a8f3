"""Hooks of `mkdocs build`: what stands beside docs/ comes into the site, and no page may ask for what is elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from elo_sheets.page.calculators import calculators_page

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
# What makes a browser load something: an address outside in one of these is a request.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video)[^>]*\ssrc=\"?(?:https?:)?//|<link[^>]*\shref=\"?(?:https?:)?//"
)
# A link to a file of the repository that is no page: what it says stays.
_SOURCE = re.compile(r"\[([^\]]*)\]\((?:\.\./)*(?:elo_sheets|tests|benchmarks|\.ci|pyproject\.toml|LICENSE)[^)]*\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the documents of the top folder, the samples, and the calculators."""
    samples = [path for path in (ROOT / "samples").iterdir() if path.suffix in {".csv", ".pgn", ".xlsx", ".md"}]
    for path in [*(ROOT / name for name in BESIDE), *samples]:
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    files.append(File.generated(config, "calculators.html", content=calculators_page()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to where their targets stand in the site, which has docs/ as its top."""
    path = page.file.src_uri
    if path in BESIDE or path.startswith("samples/"):
        markdown = re.sub(r"\]\((\.\./)?docs/", r"](\1", markdown)
    else:
        up = path.count("/") * "../"
        markdown = re.sub(rf"\]\({re.escape(up)}\.\./(?=[A-Zs])", f"]({up}", markdown)
    markdown = markdown.replace("](README.md)", "](index.md)") if path in BESIDE else markdown
    return _SOURCE.sub(r"\1", markdown)


def on_post_build(config: Any) -> None:
    """Refuse a site of which a page loads anything from elsewhere."""
    for page in Path(config["site_dir"]).rglob("*.html"):
        if found := LOADED.search(page.read_text("utf-8")):
            raise PluginError(f"{page}: the page would load something from elsewhere: {found[0]}…")
