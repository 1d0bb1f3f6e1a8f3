"""A chart of a plan as SVG: lines and marks, or bars that stand on each other, in the colours of the style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from elo_sheets.uses.reports.cells import Reading
from elo_sheets.uses.reports.numbers import number_as
from elo_sheets.uses.reports.texts import escape
from elo_sheets.workbook.plan import CellValue, ChartPlan

WIDTH, HEIGHT = 520, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 10, 44
MOST_LABELS = 8
Line = tuple[str, str, list[tuple[float, float]]]


def drawn(chart: ChartPlan, reading: Reading) -> str:
    """Return a chart as a figure of a page, or a sentence where there is nothing to draw yet."""
    parts = list(_lines(chart, reading) if chart.kind == "line" else _bars(chart, reading))
    title = escape(chart.title)
    if not parts:
        return f'<figure><figcaption>{title}</figcaption><p class="note">Drawn once games are rated.</p></figure>'
    below = (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 6}" text-anchor="middle">{escape(chart.x_title)}</text>'
    )
    named = [(reading.text(series.name), series.style) for series in chart.series]
    shown = "".join(f'<li class="{style}">{escape(name)}</li>' for name, style in named if name)
    legend = f'<ul class="legend">{shown}</ul>' if len(named) > 1 or chart.kind == "line" else ""
    return (
        f'<figure><figcaption>{title}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"{''.join(parts)}{below}</svg>{legend}</figure>"
    )


def _lines(chart: ChartPlan, reading: Reading) -> Iterator[str]:
    lines: list[Line] = []
    for series in chart.series:
        across, up = reading.values(series.categories), reading.values(series.values)
        found = dict.fromkeys((x, y) for x, y in zip(across, up, strict=True) if _is_number(x) and _is_number(y))
        if reading.text(series.name):
            lines.append((reading.text(series.name), series.style, list(found)))
    every = [point for _, _, points in lines for point in points]
    if len({x for x, _ in every}) < 2:
        return
    low, high = min(x for x, _ in every), max(x for x, _ in every)
    bottom, top = min(y for _, y in every), max(y for _, y in every)
    ticks = _ticks(bottom, top)
    bottom, top = min(bottom, ticks[0]), max(top, ticks[-1])
    yield from _up(ticks, bottom, top, chart.y_format)
    for x in _ticks(low, high):
        if low <= x <= high:
            yield _below(_along(x, low, high), number_as(x, chart.x_format))
    for name, style, points in lines:
        places = [(f"{_along(x, low, high):.1f}", f"{_height(y, bottom, top):.1f}") for x, y in points]
        title = f"<title>{escape(name)}</title>"
        if style.startswith("mark_"):
            yield from (f'<path class="{style}" d="M{x} {y}m0-6l6 6-6 6-6-6z">{title}</path>' for x, y in places)
        else:
            path = " ".join(map(",".join, places))
            yield f'<polyline class="{style}" points="{path}">{title}</polyline>'


def _bars(chart: ChartPlan, reading: Reading) -> Iterator[str]:
    labels = [_label(value) for value in reading.values(chart.series[0].categories)]
    heights = [[v if _is_number(v) else 0.0 for v in reading.values(series.values)] for series in chart.series]
    kept = [at for at, label in enumerate(labels) if label]
    if not kept or not any(series[at] for series in heights for at in kept):
        return
    above = [sum(max(0.0, series[at]) for series in heights) for at in kept]
    under = [sum(min(0.0, series[at]) for series in heights) for at in kept]
    ticks = _ticks(min(0.0, *under), max(0.0, *above))
    bottom, top = min(ticks[0], *under), max(ticks[-1], *above)
    yield from _up(ticks, bottom, top, chart.y_format)
    room = (WIDTH - LEFT - RIGHT) / len(kept)
    each = math.ceil(len(kept) / MOST_LABELS)
    for place, at in enumerate(kept):
        left, ends = LEFT + place * room, [0.0, 0.0]
        for series, values in zip(chart.series, heights, strict=True):
            side = values[at] < 0
            begin, ends[side] = ends[side], ends[side] + values[at]
            y = sorted((_height(begin, bottom, top), _height(ends[side], bottom, top)))
            if values[at]:
                yield (
                    f'<rect class="{series.style}" x="{left + room * 0.15:.1f}" y="{y[0]:.1f}" '
                    f'width="{room * 0.7:.1f}" height="{y[1] - y[0]:.1f}">'
                    f"<title>{escape(labels[at])}: {values[at]:g}</title></rect>"
                )
        if place % each == 0:
            yield _below(left + room / 2, escape(labels[at]))


def _below(x: float, text: str) -> str:
    """Return a label of the axis across."""
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{text}</text>'


def _up(ticks: Sequence[float], bottom: float, top: float, form: str) -> Iterator[str]:
    """Yield the lines across a chart and their numbers."""
    for tick in ticks:
        y = _height(tick, bottom, top)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number_as(tick, form)}</text>'


def _along(x: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (x - low) / (high - low)


def _height(y: float, bottom: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - bottom) / (top - bottom)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers, some five, from at most `low` to at least `high`."""
    span = high - low or 1.0
    unit = 10.0 ** math.floor(math.log10(span / 5))
    step = next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= 6)
    return [step * at for at in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _is_number(value: CellValue) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _label(value: CellValue) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else value or ""
