"""Choose what runs with the lowest and the newest versions, too: `pip install coverage; python tests/choose_ends.py`.

What another version of Python or of a library changes shows in the code that a test runs through. Of the first cases
of the fast tests and those of `ends.toml` it takes the one that adds most lines of the package for its time, again and
again, until the next one adds few: nearly all lines in a quarter of the time. It writes `ends.toml`, which names these
tests by their files. A file that is not named there runs whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

HERE = Path(__file__).parent
FEW = 12  # lines for a second of the processor, at which no more tests are worth it
START = 0.05  # seconds that a test takes beside what it runs


class Watch:
    """Runs the first case of each test, and notes which lines it reaches and what it takes."""

    def __init__(self) -> None:
        self.coverage = coverage.Coverage(data_file=None, source=[str(HERE.parent / "elo_sheets")])
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        of_each = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
        marked = ("fast", "ends")
        items[:] = [item for item in of_each.values() if any(map(item.get_closest_marker, marked))]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        name, before = item.nodeid.partition("[")[0], sum(os.times()[:4])
        self.coverage.switch_context(name)
        done = yield
        self.seconds[name] = sum(os.times()[:4]) - before + START
        return done  # type: ignore[return-value]

    def lines(self) -> dict[str, set[tuple[str, int]]]:
        """The lines that each test reaches, without those that run on import."""
        found: dict[str, set[tuple[str, int]]] = {name: set() for name in self.seconds}
        data = self.coverage.get_data()
        for file in data.measured_files():
            for line, names in data.contexts_by_lineno(file).items():
                for name in names if "" not in names else ():
                    found[name].add((file, line))
        return found


def chosen(lines: dict[str, set[tuple[str, int]]], seconds: dict[str, float]) -> Iterator[str]:
    """Yield the tests that add most, one after the other."""
    left, waiting = set().union(*lines.values()), dict(seconds)
    while waiting:
        worth = {name: len(lines[name] & left) / taken for name, taken in waiting.items()}
        best = max(worth, key=worth.__getitem__)
        if worth[best] < FEW:
            return
        left -= lines[best]
        waiting = {name: taken for name, taken in waiting.items() if worth[name] and name != best}
        yield best


def main() -> None:
    watch = Watch()
    watch.coverage.start()
    pytest.main(["-p", "no:randomly", "-p", "no:cacheprovider", str(HERE)], plugins=[watch])
    watch.coverage.stop()
    of_file: dict[str, list[str]] = {name.partition("::")[0].removeprefix("tests/"): [] for name in watch.seconds}
    for name in chosen(watch.lines(), watch.seconds):
        file, _, test = name.partition("::")
        of_file[file.removeprefix("tests/")].append(test)
    text = ""
    for file, tests in sorted(of_file.items()):
        text += f'"{file}" = [' + "".join(f'\n  "{test}",' for test in tests) + ("\n]\n" if tests else "]\n")
    (HERE / "ends.toml").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
