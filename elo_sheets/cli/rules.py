"""`systems`, `conform` and `explain`: what the rules are, what proves them, and what they did to one rating."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

import click

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log
from elo_sheets.errors import UsageError
from elo_sheets.listed import listed


@options.command("systems")
def systems(name: str | None, settings: Any, as_json: bool) -> None:
    """List the rating systems, or describe one.

    A description has the steps as formulas, the settings and the sources.
    """
    if settings and name is None:
        raise UsageError("--set chooses the form of one system: name it")
    if name is None and not as_json:
        rows = [[one["name"], one["about"]] for one in listed("systems")]
        click.echo(options.text_table(["system", "what it is"], rows, left=(0, 1)))
        click.echo("\nelo-sheets systems NAME prints one with its formulas, settings and sources.")
        return
    from elo_sheets.systems import SYSTEMS
    from elo_sheets.systems import system as find_system
    from elo_sheets.uses.describing import describe

    chosen = [find_system(name)] if name else list(SYSTEMS.values())
    records = [describe(one, settings) for one in chosen]
    if as_json:
        options.echo_json({"schema": 1, "systems": records})
    else:
        click.echo(_in_words(records[0]))


def _in_words(record: dict[str, Any]) -> str:
    text = [f"{record['name']}: {record['about']}", ""]
    for phase, heading in (
        ("opening", "At the start of a period"),
        ("game", "For each game"),
        ("forecast", "To forecast a game"),
        ("closing", "At the end of a period"),
        ("part", "Parts of the rule that are formulas"),
    ):
        steps = [step for step in record["steps"] if step["phase"] == phase]
        if steps:
            text.append(f"{heading}:")
            text += [f"  {step['name']} = {step['formula']}" for step in steps]
    if record["sums"]:
        text.append(f"Summed over the period: {', '.join(record['sums'])}")
    text += ["", "Settings (--set NAME=VALUE):"]
    for parameter in record["parameters"]:
        choices = f" ({', '.join(parameter['choices'])})" if parameter["choices"] else ""
        text.append(f"  {parameter['name']}={parameter['default']}  {parameter['meaning']}{choices}")
        for note in ("source", "unofficial"):
            if parameter[note]:
                text.append(f"      {note}: {parameter[note]}")
    if record["weights"]:
        text += ["", *_weights(record["weights"])]
    for heading, key in (("Departs from its source:", "deviations"), ("Sources:", "sources")):
        if record[key]:
            text += ["", heading, *(f"  {line}" for line in record[key])]
    return "\n".join(text)


def _weights(weights: dict[str, Any]) -> list[str]:
    """Return the table of weights as lines: each kind of match with the competitions that count as it."""
    lines = [f"{weights['symbol']} by the kind of match, for logs that give no weight (--set weights=…):"]
    for kind in weights["kinds"]:
        named = "; ".join(kind["competitions"]) or "by a weight in the log alone"
        told = f"  {kind['weight']:>3g}  {kind['kind']}: {named}"
        lines += textwrap.wrap(told, 118, subsequent_indent=" " * 7)
    return [*lines, f"      source: {weights['source']}"]


@options.command("conform")
def conform(names: tuple[str, ...], by: str, output: str | None, every: bool, as_json: bool, force: bool) -> None:
    """Rerun the published answers that ship with elo-sheets.

    Prints expected, got, tolerance and verdict. Exit code 1 if a number is not the published one.
    """
    from elo_sheets.conformance import conform as run
    from elo_sheets.conformance import write_proof

    chosen = [name.strip().lower() for name in names]
    results = run(chosen, by)
    failed = [result for result in results if not result.passed]
    if output is not None:
        count = write_proof(chosen, output, overwrite=force)
        click.echo(f"{count} answers as formulas: {output}", err=True)
    if as_json:
        options.echo_json(
            {
                "schema": 1,
                "by": by,
                "answers": len({result.answer for result in results}),
                "numbers": len(results),
                "failed": len(failed),
                "results": [
                    {
                        "id": r.answer,
                        "system": r.system,
                        "mode": r.mode,
                        "what": r.what,
                        "expected": r.expected,
                        "got": r.got,
                        "tolerance": r.tolerance,
                        "verdict": "passed" if r.passed else "failed",
                        "source": r.source,
                    }
                    for r in results
                ],
            }
        )
    else:
        shown = results if every or names else failed
        if shown:
            rows = [
                [r.answer, r.what, _number(r.expected), _number(r.got), f"{r.tolerance:g}", _verdict(r.passed)]
                for r in shown
            ]
            headers = ["answer", "what", "expected", "got", "tolerance", "verdict"]
            click.echo(options.text_table(headers, rows, left=(0, 1)))
        answers = {result.answer for result in results}
        bad = {result.answer for result in failed}
        click.echo(f"{len(answers) - len(bad)} of {len(answers)} published answers ({len(results)} numbers) by {by}")
    if failed:
        sys.exit(1)


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.10g}"


def _verdict(passed: bool) -> str:
    return "passed" if passed else "FAILED"


@options.command("explain")
def explain(name: str, logs: tuple[str, ...], last: int | None, as_json: bool, how: Any, **asked: Any) -> None:
    """Print the bank statement of one rating.

    For each period: the rating before, each game's inputs, every step of the rule with its formula and value, why the
    rule took that branch, and the rating after.
    """
    from elo_sheets.uses.explaining import explain_logs, record

    done = explain_logs(logs, name, **asked, **how)
    entries = done.entries[-last:] if last else done.entries
    if as_json:
        options.echo_json(record(done, entries))
        return
    say_log(done.log.problems, done.notes)
    click.echo(f"{done.player}, system {done.system_name}")
    for line in done.begins:
        click.echo(line)
    told: set[str] = set()
    for entry in entries:
        for line in _statement(entry, done.system, told):
            click.echo(line)


def _statement(entry: Any, system: Any, told: set[str]) -> list[str]:
    """Return the lines of a period; a step whose formula is among those told is printed without it."""

    def listed(values: Any) -> str:
        named = {name: system.label(name) if name.isidentifier() else name for name in values}
        return ", ".join(f"{named[name]} {_plain(value)}" for name, value in values.items())

    text = ["", f"Before: {listed(entry.before)}"]
    text += [f"  {line}" for step in entry.opening for line in _step(step, told)]
    for game in entry.games:
        day = f" {game.date}" if game.date else ""
        text.append(f"  Game {game.game}{day} v {game.opponent} ({game.colour}): score {_plain(game.score)}")
        origin = f" (from {game.origin})" if game.origin else ""
        text.append(f"    {game.source}, row {game.row}{', ' if game.url else ''}{game.url}{origin}")
        if game.inputs:
            text.append(f"    {listed(game.inputs)}")
        text += [f"    {line}" for step in game.steps for line in _step(step, told)]
    if len(entry.games) > 1:
        text.append(f"  Sums: {listed(entry.sums)}")
    text += [f"  {line}" for step in entry.closing for line in _step(step, told)]
    return [*text, f"After: {listed(entry.after)}"]


def _step(step: Any, told: set[str]) -> list[str]:
    from elo_sheets.systems.fide import GROWN_UP
    from elo_sheets.uses.explaining import looked_up

    if step.name == "age" and step.value == GROWN_UP:
        return [f"{step.label}: not known, so that of a grown-up counts"]
    shown = f"{step.label}: {_plain(step.value)}"
    if step.formula != step.filled:
        shown += f" = {looked_up(step.filled)}"
    if step.formula not in told:
        told.add(step.formula)
        shown += f"   [{step.name} = {step.formula}]"
    return [shown, f"  because {step.because}"] if step.because else [shown]


def _plain(value: float) -> str:
    from elo_sheets.uses.explaining import plain

    return plain(value)


COMMANDS = (systems, conform, explain)
