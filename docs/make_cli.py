"""Write docs/cli.md from the help pages, the exit codes, the systems and the templates of the code itself."""

from __future__ import annotations

from pathlib import Path

import click
from click.testing import CliRunner

from elo_sheets.cli import cli

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 80

HEAD = """\
# The command line

This page is made by `python docs/make_cli.py` from the command itself. Results go to stdout and talk to stderr; `-` is
the standard input or output; [JSON](json.md) is there where a program may read. Exit codes are 0 for done or agrees,
1 for findings, 2 for wrong usage or an output that cannot be written, 3 for an input that cannot be read, 4 for what
could not be checked; an interrupt gives 130.

`--system FILE.py:NAME` runs the program in that file, as Python would: give it files that you trust. So does the name
of a system that an installed package brings. Nothing else that is read is run, and nothing calls the network:
[security](security.md).

With `--quiet` a command prints its result and errors alone. Notes that differ in names and numbers alone are one line
with their count; on a terminal their first word has a colour unless the variable `NO_COLOR` is set.

A file `elo-sheets.toml` in the working folder, or in the nearest one above it that has one, says what the verbs that
rate games or make books are given: options of the command line win, `--no-config` leaves the file out, and
`elo-sheets --show-config` prints it. A command says what it takes from the file and what it has no use for.

```toml
system = "elo"            # --system; not a file of one's own, which would be run
names = "who.toml"        # --names, beside this file
profile = "football"      # --profile: a sport, or a file beside this one

[settings]                # --set; left out where --system names another system
k = 32

[mapping]                 # --map
white = "Home"
```

Names of commands and options are completed with the Tab key after one line for your shell:

```sh
echo 'eval "$(_ELO_SHEETS_COMPLETE=bash_source elo-sheets)"' >> ~/.bashrc
echo 'eval "$(_ELO_SHEETS_COMPLETE=zsh_source elo-sheets)"' >> ~/.zshrc
_ELO_SHEETS_COMPLETE=fish_source elo-sheets > ~/.config/fish/completions/elo-sheets.fish
```
"""


def help_page(name: str = "") -> str:
    """The help page of a command, or of elo-sheets itself."""
    path = f"elo-sheets {name}".strip()
    command: click.Command = cli.commands[name] if name else cli
    context = click.Context(
        command, info_name=path, terminal_width=WIDTH, help_option_names=cli.context_settings["help_option_names"]
    )
    return command.get_help(context).rstrip() + "\n"


def output(*arguments: str) -> str:
    """What a command prints."""
    return CliRunner().invoke(cli, list(arguments)).stdout


def page() -> str:
    """The whole page."""
    parts = [HEAD, f"## elo-sheets\n\n```text\n{help_page()}```\n"]
    parts += [f"## {name}\n\n```text\n{help_page(name)}```\n" for name in cli.commands]
    parts += [
        f"## The {name}\n\nWhat `elo-sheets {name}` prints:\n\n```text\n{output(name)}```\n"
        for name in ("systems", "templates")
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
