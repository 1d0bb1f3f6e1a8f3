"""How well rules predict games of sides, and the settings that predict best, against a replay written here."""

from __future__ import annotations

import io
import json
import math
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.uses.differing import diff
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.pairing import predict_pairing
from elo_sheets.uses.predicting import compare_logs, fit_logs
from elo_sheets.uses.simulation import simulate_logs

PLAYERS = ["Ann", "Ben", "Cid", "Dot", "Eve", "Fay"]
Doubles = tuple[list[str], float]


def doubles(count: int) -> list[Doubles]:
    """Games of players who differ: each is worth 120 points more than the next."""
    dice = random.Random(11)
    found = []
    for _ in range(count):
        who = dice.sample(PLAYERS, 4)
        gap = 60 * sum(PLAYERS.index(name) * sign for name, sign in zip(who, (-1, -1, 1, 1), strict=True))
        found.append((who, float(dice.random() < 1 / (1 + 10 ** (-gap / 400)))))
    return found


def log_of(games: list[Doubles]) -> io.BytesIO:
    rows = ["A1,A2,B1,B2,Score", *(f"{','.join(who)},{'1-0' if score else '0-1'}" for who, score in games)]
    stream = io.BytesIO("\n".join(rows).encode())
    stream.name = "log.csv"
    return stream


def losses(games: list[Doubles], k: float, burn_in: int) -> tuple[float, float, int]:
    """The log-loss and the Brier score of Elo of doubles, and of how many games."""
    rating, played = dict.fromkeys(PLAYERS, 1500.0), dict.fromkeys(PLAYERS, 0)
    told = []
    for who, score in games:
        gap = sum(rating[name] * sign for name, sign in zip(who, (1, 1, -1, -1), strict=True)) / 2
        expected = 1 / (1 + 10 ** (-gap / 400))
        if all(played[name] >= burn_in for name in who):
            told.append((score, expected))
        for seat, name in enumerate(who):
            rating[name] += k * (score - expected) * (1 if seat < 2 else -1)
            played[name] += 1
    loss = -sum(math.log(e if s else 1 - e) for s, e in told) / len(told)
    return loss, sum((s - e) ** 2 for s, e in told) / len(told), len(told)


def test_systems_are_compared_on_doubles() -> None:
    games = doubles(120)
    done = compare_logs(log_of(games), ["elo", "glicko2", "trueskill"], settings={"elo.k": 32})
    elo, *others = done.compared.systems
    loss, brier, scored = losses(games, 32, done.compared.burn_in)
    assert (done.compared.games, done.compared.scored) == (120, scored)
    assert (elo.system, elo.log_loss, elo.brier_score) == ("elo", pytest.approx(loss), pytest.approx(brier))
    for one in others:
        assert one.log_loss is not None
        assert one.log_loss < math.log(2)
        assert set(one.ratings) == set(PLAYERS)


def test_the_best_k_of_doubles_is_found() -> None:
    games = doubles(120)
    found = fit_logs(log_of(games), {"k": (5, 150)}).fitted
    assert found is not None
    least = min(losses(games, k, 5)[0] for k in [*range(5, 151), found.found["k"]])
    assert found.log_loss == pytest.approx(least, abs=1e-6)
    assert found.log_loss == pytest.approx(losses(games, found.found["k"], 5)[0])


def test_a_table_is_scored_as_each_two_of_it(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b"1st,2nd,3rd\nAnn,Ben,Cid\nCid,Ann,Ben\n")
    done = compare_logs(table, ["elo"], burn_in=1, settings={"k": 30})
    # After the first: Ann 1515, Ben 1500, Cid 1485; then Cid beats both, and Ann beats Ben.
    expected = [1 / (1 + 10 ** (gap / 400)) for gap in (30, 15, -15)]
    assert done.compared.scored == 3
    assert done.compared.systems[0].log_loss == pytest.approx(-sum(map(math.log, expected)) / 3)
    assert any("each two of its players" in note for note in done.notes)
    said = CliRunner().invoke(cli, ["compare", str(table), "--system", "elo", "--burn-in", "1"]).stdout
    assert said.startswith("3 pairs of sides of 2 games scored, after 1 games of each player\n")


def test_what_cannot_be_compared_is_said() -> None:
    games = doubles(10)
    with pytest.raises(UsageError, match="system fide asks for the date of a game"):
        compare_logs(log_of(games), ["elo", "fide"])
    with pytest.raises(UnreadableInput, match="burn-in of 50"):
        compare_logs(log_of(games), ["elo"], burn_in=50)
    with pytest.raises(UsageError, match="from less to more"):
        fit_logs(log_of(games), {"k": (50, 5)})
    with pytest.raises(UsageError, match="choice"):
        fit_logs(log_of(games), {"side_rule": (0, 1)})


def test_the_commands_take_doubles(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(log_of(doubles(60)).getvalue())
    told = json.loads(
        CliRunner()
        .invoke(cli, ["compare", str(path), "--system", "elo,glicko", "--set", "side_rule=sum", "--json"])
        .stdout
    )
    assert [one["name"] for one in told["systems"]] == ["elo", "glicko"]
    assert told["systems"][0]["settings"]["side_rule"] == "sum"
    fitted = json.loads(CliRunner().invoke(cli, ["fit", str(path), "k=10:60", "--json"]).stdout)
    assert 10 <= fitted["fit"]["found"]["k"] <= 60
    assert CliRunner().invoke(cli, ["compare", str(path), "--system", "elo,weng-lin"]).exit_code == 0


def test_where_only_winners_are_told_every_verb_rates_by_the_winner(tmp_path: Path) -> None:
    header = "Date,Player 1,Player 2,Player 3,Player 4,Winner\n"
    log, left = tmp_path / "log.csv", tmp_path / "left.csv"
    log.write_text(f"{header}2026-01-01,Ann,Bea,Cid,,Ann\n2026-01-02,Bea,Cid,Dan,Ann,Dan\n", encoding="utf-8")
    left.write_text(f"{header}2026-02-01,Ann,Bea,Cid,Dan,\n", encoding="utf-8")
    ratings = replay_logs(log).ratings.set_index("player")["rating"]
    assert predict_pairing("Ann", "Bea", [log]).ratings == pytest.approx((ratings["Ann"], ratings["Bea"]), abs=1e-9)
    assert compare_logs(log, ["elo"], burn_in=0).compared.systems[0].ratings["Dan"] == pytest.approx(ratings["Dan"])
    done = simulate_logs([log], remaining=[left], runs=50)
    assert {one.name: one.rating for one in done.players} == pytest.approx(ratings.to_dict(), abs=1e-9)
    import_logs(log, book := tmp_path / "book.xlsx")
    assert diff(log, book).same
