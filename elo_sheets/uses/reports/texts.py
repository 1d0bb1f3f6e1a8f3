"""Text as a page shows it, whatever it holds."""

from __future__ import annotations

import html

from elo_sheets._outside import visible


def escape(text: str) -> str:
    """Return a text for a page: no tag, no quote, and control characters written out.

    >>> escape("<b>Ann\\x1b[2J")
    '&lt;b&gt;Ann\\\\u001b[2J'
    """
    return html.escape(visible(text))
