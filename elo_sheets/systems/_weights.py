"""What a match weighs by the name of its competition, where the log does not say it: the table in `football.toml`."""

from __future__ import annotations

from elo_sheets.shipped import shipped_data
from elo_sheets.systems._system import Parameter, Weights

_FOOTBALL = shipped_data("systems/football.toml")

# The values of the setting `weights` that are no files, and what ends the name of a file.
TABLE, NONE = "table", "none"
FILES = (".csv",)


def football_weights(column: str, symbol: str, otherwise: str) -> Weights:
    """Return the weights of one column of the data file; a kind without a weight there is left out."""
    kinds = [kind for kind in _FOOTBALL["kind"] if column in kind]
    return Weights(
        symbol,
        otherwise,
        _FOOTBALL["source"],
        {kind["name"]: float(kind[column]) for kind in kinds},
        {name: kind["name"] for kind in kinds for name in kind.get("competitions", ())},
    )


def weights_parameter(symbol: str, otherwise: str) -> Parameter:
    """Return the setting that says where the weight of a match comes from whose log gives none."""
    return Parameter(
        "weights",
        TABLE,
        "Weights",
        f"{symbol} of a match for which the log gives no weight: table, by its competition's name; none, {otherwise} "
        "in every match; or a CSV file with the columns competition and weight, whose names go before the table's and "
        "whose * is any other",
        choices=(TABLE, NONE),
        files=FILES,
    )
