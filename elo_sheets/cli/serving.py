"""`serve`: the pages on which a log becomes a book and a book gets its verdict."""

from __future__ import annotations

import click

from elo_sheets.cli import _options as options


@options.command("serve")
def serve(port: int, timeout: float, shown: bool) -> None:
    """Serve a page that makes books of logs, on this machine only.

    Drop a log and get a book, drop a book and get its verdict. It needs the extra web. Nobody else reaches it, and
    nothing leaves the machine. What is dropped stands in a private folder and is removed when the server ends (Ctrl-C),
    or an hour after the page was last looked at.
    """
    from elo_sheets.serving.server import serve as run

    def told(address: str) -> None:
        click.echo(f"elo-sheets is at {address} until you press Ctrl-C")
        if shown:
            import webbrowser

            webbrowser.open(address)

    run(port, timeout, told)
    click.echo("ended; what was dropped is removed")


COMMANDS = (serve,)
