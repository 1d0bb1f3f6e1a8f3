"""Two-player calculators as strangers make them, all of them right: other words, other forms, other orders.

Each function returns the sheets of one book. A calculator gives the new ratings of both players, or says what each
result would bring; the ratings, the result and K are inputs.
"""

from __future__ import annotations

from books import FIDE_HIGHER, Sheets


def drop_down() -> Sheets:
    """One list of results for the first player, in Spanish words; the second player's score is the complement."""
    return {"Calculadora": {
        "A1": "Calculadora Elo", "A3": "Jugador", "B3": "Elo", "C3": "Puntos", "D3": "Esperado", "E3": "Nuevo Elo",
        "A4": "Ana", "B4": 1710, "C4": '=IF($B$7="Victoria",1,IF($B$7="Tablas",0.5,0))',
        "D4": "=1/(1+10^((B5-B4)/400))", "E4": "=B4+$B$8*(C4-D4)",
        "A5": "Eva", "B5": 1590, "C5": "=1-C4", "D5": "=1-D4", "E5": "=B5+$B$8*(C5-D5)",
        "A7": "Resultado de Ana", "B7": "Victoria", "A8": "Factor K", "B8": 20,
    }}  # fmt: skip


def words_in_a_table() -> Sheets:
    """The points of a result are looked up in a little table."""
    return {"Elo": {
        "A1": "Spieler A", "B1": 1500, "A2": "Spieler B", "B2": 1620, "A3": "Ergebnis", "B3": "Remis",
        "A4": "K", "B4": 24,
        "G1": "Sieg", "H1": 1, "G2": "Remis", "H2": 0.5, "G3": "Niederlage", "H3": 0,
        "A6": "Punkte A", "B6": "=VLOOKUP(B3,G1:H3,2,FALSE)", "A7": "Erwartung A", "B7": "=1/(1+POWER(10,(B2-B1)/400))",
        "A8": "Neu A", "B8": "=B1+B4*(B6-B7)", "A9": "Neu B", "B9": "=B2+B4*((1-B6)-(1-B7))",
    }}  # fmt: skip


def percent() -> Sheets:
    """Chances in percent of a hundred, and a score in percent."""
    return {"Sheet1": {
        "B2": "You", "C2": "Opponent", "A3": "Rating", "B3": 1833, "C3": 1755,
        "A4": "Win chance %", "B4": "=100/(1+10^((C3-B3)/400))", "C4": "=100-B4",
        "A5": "Score %", "B5": 100, "C5": "=100-B5", "A6": "K", "B6": 32, "C6": 32,
        "A7": "New rating", "B7": "=B3+B6*(B5-B4)/100", "C7": "=C3+C6*(C5-C4)/100",
    }}  # fmt: skip


def k_by_rating() -> Sheets:
    """K from a ladder of ratings, for each side its own."""
    return {"Calc": {
        "A1": "Player", "B1": "Rating", "C1": "Score", "D1": "K", "E1": "Expected", "F1": "Change", "G1": "New",
        "A2": "Anna", "B2": 2140, "C2": 0, "D2": "=IF(B2<2100,32,IF(B2<2400,24,16))",
        "E2": "=10^(B2/400)/(10^(B2/400)+10^(B3/400))", "F2": "=D2*(C2-E2)", "G2": "=B2+F2",
        "A3": "Bert", "B3": 1960, "C3": "=1-C2", "D3": "=IF(B3<2100,32,IF(B3<2400,24,16))",
        "E3": "=10^(B3/400)/(10^(B2/400)+10^(B3/400))", "F3": "=D3*(C3-E3)", "G3": "=B3+F3",
    }}  # fmt: skip


def k_table() -> Sheets:
    """K looked up in a table of ratings, the nearest row below."""
    return {"Calc": {
        "A1": "Rating A", "B1": 2250, "A2": "Rating B", "B2": 2310, "A3": "Result A", "B3": 0.5,
        "D1": "from", "E1": "K", "D2": 0, "E2": 40, "D3": 2000, "E3": 20, "D4": 2400, "E4": 10,
        "A5": "K A", "B5": "=VLOOKUP(B1,D2:E4,2,TRUE)", "A6": "K B", "B6": "=VLOOKUP(B2,D2:E4,2,TRUE)",
        "A7": "E A", "B7": "=1/(1+EXP(LN(10)*(B2-B1)/400))", "A8": "E B", "B8": "=1-B7",
        "A9": "New A", "B9": "=B1+B5*(B3-B7)", "A10": "New B", "B10": "=B2+B6*(1-B3-B8)",
    }}  # fmt: skip


def best_of() -> Sheets:
    """A match of several games: the score is a count of games won, the expectation times the games played."""
    return {"Match": {
        "A1": "Rating 1", "B1": 1650, "A2": "Rating 2", "B2": 1720, "A3": "Won by 1", "B3": 3, "A4": "Won by 2",
        "B4": 2,
        "A5": "K", "B5": 20, "A6": "Games", "B6": "=B3+B4", "A7": "Expected 1", "B7": "=B6/(1+10^((B2-B1)/400))",
        "A8": "Expected 2", "B8": "=B6-B7", "A9": "New 1", "B9": "=B1+B5*(B3-B7)", "A10": "New 2",
        "B10": "=B2+B5*(B4-B8)",
    }}  # fmt: skip


def all_results() -> Sheets:
    """What a win, a draw and a loss would bring to both, side by side."""
    return {"What if": {
        "A1": "White", "B1": 1510, "A2": "Black", "B2": 1440, "A3": "K", "B3": 16,
        "A4": "Expected", "B4": "=1/(10^(-(B1-B2)/400)+1)",
        "B6": "White wins", "C6": "Draw", "D6": "Black wins",
        "A7": "White", "B7": "=$B$1+$B$3*(1-$B$4)", "C7": "=$B$1+$B$3*(0.5-$B$4)", "D7": "=$B$1+$B$3*(0-$B$4)",
        "A8": "Black", "B8": "=$B$2+$B$3*(0-(1-$B$4))", "C8": "=$B$2+$B$3*(0.5-(1-$B$4))",
        "D8": "=$B$2+$B$3*(1-(1-$B$4))",
    }}  # fmt: skip


def rounded() -> Sheets:
    """Both new ratings rounded to whole points, merged headers, a note in between."""
    return {"Calculateur": {
        "A1": "Calcul du nouveau classement", "A2": "Ne modifier que les cases jaunes", "B4": "Blancs", "D4": "Noirs",
        "A5": "Classement", "B5": 1987, "D5": 2054, "A6": "Score", "B6": 1, "D6": "=1-B6",
        "A7": "K = 20 pour un joueur de moins de 2400 points", "A8": "K", "B8": 20, "D8": 20,
        "A9": "Probabilité de gain", "B9": "=1/(1+10^(-(B5-D5)/400))", "D9": "=1/(1+10^(-(D5-B5)/400))",
        "A10": "Nouveau classement", "B10": "=ROUND(B5+B8*(B6-B9),0)", "D10": "=ROUND(D5+D8*(D6-D9),0)",
    }}  # fmt: skip


def capped() -> Sheets:
    """The difference counts as 400 at most."""
    return {"Elo": {
        "A1": "Own", "B1": 2300, "A2": "Opp", "B2": 1750, "A3": "Score", "B3": 1, "A4": "K", "B4": 10,
        "A5": "Diff", "B5": "=MAX(-400,MIN(400,B1-B2))", "A6": "We", "B6": "=1/(1+10^(-B5/400))",
        "A7": "Change", "B7": "=B4*(B3-B6)", "A8": "New own", "B8": "=B1+B7", "A9": "New opp", "B9": "=B2-B7",
    }}  # fmt: skip


def table_of_expectations() -> Sheets:
    """The expectation by look-up in the table of differences."""
    table = {
        f"{column}{row}": value
        for row, line in enumerate(FIDE_HIGHER, 2)
        for column, value in zip("AB", line, strict=True)
    }
    return {"Rechner": {
        "A1": "Elo A", "B1": 1812, "A2": "Elo B", "B2": 1930, "A3": "Punkte A", "B3": 0.5, "A4": "K", "B4": 20,
        "A5": "Differenz", "B5": "=B1-B2",
        "A6": "p A", "B6": "=IF(B5>=0,VLOOKUP(B5,Tabelle!$A$2:$B$52,2),1-VLOOKUP(-B5,Tabelle!$A$2:$B$52,2))",
        "A7": "p B", "B7": "=1-B6", "A8": "Neu A", "B8": "=B1+B4*(B3-B6)", "A9": "Neu B", "B9": "=B2+B4*(1-B3-B7)",
    }, "Tabelle": {"A1": "ab", "B1": "p", **table}}  # fmt: skip


def home_side() -> Sheets:
    """The home side's rating counts for 65 points more."""
    return {"Game": {
        "A1": "Home", "B1": 1540, "A2": "Away", "B2": 1575, "A3": "Home advantage", "B3": 65, "A4": "K", "B4": 30,
        "A5": "Home goals", "B5": 2, "A6": "Away goals", "B6": 1, "A7": "S", "B7": "=IF(B5>B6,1,IF(B5=B6,0.5,0))",
        "A8": "We", "B8": "=1/(1+10^(-(B1+B3-B2)/400))", "A9": "Home new", "B9": "=B1+B4*(B7-B8)",
        "A10": "Away new", "B10": "=B2-B4*(B7-B8)",
    }}  # fmt: skip


def on_one_line() -> Sheets:
    """Everything in one formula a side, results as letters."""
    return {"Feuil1": {
        "A1": "R1", "B1": "R2", "C1": "Res", "D1": "New R1", "E1": "New R2", "A2": 1422, "B2": 1509, "C2": "W",
        "D2": '=A2+32*(IF(C2="W",1,IF(C2="D",0.5,0))-1/(1+10^((B2-A2)/400)))',
        "E2": '=B2+32*(IF(C2="L",1,IF(C2="D",0.5,0))-1/(1+10^((A2-B2)/400)))',
    }}  # fmt: skip


def switches() -> Sheets:
    """CHOOSE and MATCH find the points of a word; the curve has its base and its scale in cells."""
    return {"Rekenblad": {
        "A1": "Basis", "B1": 10, "A2": "Schaal", "B2": 400, "A3": "K", "B3": 25,
        "A5": "Speler", "B5": "Rating", "C5": "Uitslag", "D5": "Score", "E5": "Verwacht", "F5": "Nieuwe rating",
        "A6": "Wit", "B6": 1600, "C6": "winst", "D6": '=CHOOSE(MATCH(C6,{"verlies","remise","winst"},0),0,0.5,1)',
        "E6": "=1/(1+$B$1^((B7-B6)/$B$2))", "F6": "=B6+$B$3*(D6-E6)",
        "A7": "Zwart", "B7": 1650, "D7": "=1-D6", "E7": "=1/(1+$B$1^((B6-B7)/$B$2))", "F7": "=B7+$B$3*(D7-E7)",
    }}  # fmt: skip


def two_results() -> Sheets:
    """One cell says who won: A, B or neither."""
    return {"Elo": {
        "A1": "A", "B1": 1200, "A2": "B", "B2": 1380, "A3": "Winner", "B3": "B", "A4": "K", "B4": 40,
        "A6": "EA", "B6": "=1/(1+10^((B2-B1)/400))", "A7": "EB", "B7": "=1/(1+10^((B1-B2)/400))",
        "A8": "SA", "B8": '=IF(B3="A",1,IF(B3="B",0,0.5))', "A9": "SB", "B9": '=IF(B3="B",1,IF(B3="A",0,0.5))',
        "A10": "A new", "B10": "=B1+B4*(B8-B6)", "A11": "B new", "B11": "=B2+B4*(B9-B7)",
    }}  # fmt: skip


def only_mine() -> Sheets:
    """One player's new rating after one game; the other's is of no interest."""
    return {"Mein Elo": {
        "A1": "Meine Zahl", "B1": 1755, "A2": "Gegner", "B2": 1890, "A3": "Ergebnis", "B3": 1, "A4": "Faktor", "B4": 20,
        "A6": "Erwartung", "B6": "=1/(1+10^((B2-B1)/400))", "A7": "Änderung", "B7": "=(B3-B6)*B4",
        "A8": "Neue Zahl", "B8": "=B1+B7",
    }}  # fmt: skip


SOUND = (
    drop_down, words_in_a_table, percent, k_by_rating, k_table, best_of, all_results, rounded, capped,
    table_of_expectations, home_side, on_one_line, switches, two_results, only_mine,
)  # fmt: skip
