"""What a heading says by its parts: `Joueur blanc`, `ToreHeim` and `Home pts` name a side and what is told of it.

A heading is cut into words where letters change to digits, small ones to capitals, or into words that are known, as
`Heimmannschaft` and `hjemmemaal` are. Each word says which side it is of, what is told (a name, points, a rating), or
nothing of its own (`of`, `Spiel`). A heading with a word that is none of them says nothing: `Home corners` tells no
result. Words of sides that no language here has are found by contrast, as `Red player` and `Blue player` are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

LONGEST = 60  # characters of a heading that is looked at
FIRST, SECOND = "first", "second"

# Words by what they say, without case and accents: English, German, French, Spanish, Portuguese, Italian, Dutch,
# Swedish, Norwegian, Danish, Polish, Czech, Russian, Finnish, Hungarian, Turkish.
WORD_TABLE = """
    first: home host hosts heim gastgeber domicile dom recevant recevante local casa mandante locale thuis hemma
        hjemme gospodarz gospodarze domaci хозяева хозяин дома koti hazai ev evsahibi first erste erster premier
        primero primo primeiro challenger herausforderer
    first: white whites weiss blanc blancs blanche blanches blanco blancas blancos branco brancas bianco bianchi wit
        vit vita hvit hvid hvide biale biały bialy bily bile белые белый valkea valkoinen vilagos feher beyaz
    second: away visitor visitors visiting visit guest guests gast auswarts exterieur exterieure visiteur visiteuse
        deplacement visitante visitantes visita fora ospite ospiti trasferta fuori uit borta borte ude gosc goscie
        hoste hosti гости гость vieras vieraat vendeg deplasman konuk second zweite zweiter deuxieme segundo secondo
        defender verteidiger
    second: black blacks schwarz noir noirs noire negro negras negros preto pretas nero neri zwart svart sort sorte
        czarne czarny cerny cerne черные черный musta sotet fekete siyah
    number1: 1 a one w
    number2: 2 b two
    who: p player players team teams name names side club squad pair competitor participant spieler mannschaft
        mannschafts verein teilnehmer paar joueur joueuse equipe nom participante jugador jugadora equipo nombre
        pareja giocatore giocatrice squadra nome coppia jogador jogadora equipa dupla clube speler ploeg naam
        spelare lag namn spiller hold navn zawodnik zawodniczka druzyna gracz nazwa imie zespol hrac tym jmeno
        druzstvo игрок игроки команда имя название участник pelaaja joukkue nimi seura jatekos csapat nev oyuncu
        takim ad sahibi
    points: score scores goal goals point points pts pt ptos runs set sets leg legs games frames tore punkte satze
        buts but tantos golos gols gol goles puntos marcador placar punti reti punteggio doelpunten punten mal maal
        poang poeng bramki gole punkty branky body голы очки счет maalit maali pisteet puan puanlar golok pont
        pontok partien parties sety sady szettek
    result: result results res outcome ergebnis resultat resultado risultato esito uitslag wynik vysledek результат
        исход tulos skor sonuc eredmeny stand
    won: won win wins gewonnen gagne gagnes ganados ganadas ganhos ganhas vinti gewonnene
    winner: winner winners winning victor sieger gewinner ganador ganadora vencedor vencedora vainqueur gagnant
        gagnante vincitore vincitrice winnaar vinnare vinner vinder zwyciezca wygrany vitez победитель победил
        voittaja gyoztes nyertes kazanan galip
    loser: loser losers losing lost verlierer perdedor perdedora perdant perdante vaincu perdente sconfitto
        verliezer forlorare taper taber przegrany porazeny проигравший проиграл haviaja vesztes kaybeden derrotado
    date: ts date dates datum data datas fecha dia day jour tag giorno dag dato den dzien дата день paiva paivays pvm
        tarih gun nap when wann quand cuando quando wanneer timestamp termin anstoss played gespielt joue jouee
        jugado jugada jugo giocata giocato jogado jogada gespeeld spelad spelat spilt spillet grano rozegrano
        odehrano сыграно pelattu oynandi jatszottak
    time: time zeit uhrzeit heure hora ora tijd tid klo klokken godzina cas время aika saat ido kickoff beginn kl
    rating: rating ratings elo dwz wertung wertungszahl рейтинг рейтинга ranking rejting cote vahvuusluku
        punteggioelo
    before: before pre old vor alt alte avant antes prima fore for przed до ennen elott once
    after: after post new nach neu neue apres nouveau nuevo nuova nuovo despues depois dopo nieuw ny nye po novy
        новый после jalkeen utan sonra
    id: id ids fide fideid uscf ident код
    opponent: opponent opponents opp gegner gegnerin rival oponente adversaire avversario adversario tegenstander
        motstandare motspelare motstander modstander modspiller przeciwnik souper соперник противник vastustaja
        ellenfel rakip
    own: my mine me own your yours ich mein meine eigene eigener moi mon ma mio mia meu minha mijn min mitt moj muj
        мой oma sajat benim you
    round: round rounds runde ronde ronda rodada giornata tour turno jornada journee spieltag omgang omg kolejka
        runda kolo тур kierros fordulo hafta matchday gameweek week
        woche semaine semana settimana
    number: no nr num number numero nummer numer cislo номер
    nothing: of the and to an by for from on at in is was der die das den dem des du de la le les el los las del da
        do dos il lo di della het van op am um im et y e und og och o w z i u game match matches fixture event
        tournament bout spiel spieles spiels spieltags partie rencontre duell begegnung wettkampf partido partida
        encuentro jogo partita gara incontro wedstrijd spel speel kamp kampen mecz meczu gra gry zapas zapasu utkani
        матч матча игра игры партия партии ottelu ottelun peli pelin meccs merkozes mac macin official final full
        end ft jeu spelen spille who wer qui quien quem chi wie vem hvem kto кто kuka ki kim start did
"""


def folded(text: str) -> str:
    """Return a text without case, accents and signs between letters, `ł` and `ø` as the letters that they look like."""
    letters = unicodedata.normalize(
        "NFKD", text.casefold().replace("ł", "l").replace("ı", "i").replace("ø", "o").replace("æ", "ae")
    )
    return "".join(c for c in letters if c.isalnum())


def _words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for kind, words in re.findall(r"^    (\w+):((?:.|\n {8})*)", WORD_TABLE, re.M):
        for word in map(folded, words.split()):
            found[word] = tuple(dict.fromkeys((*found.get(word, ()), kind)))
    return found


WORDS = _words()
WHITE = frozenset(map(folded, re.findall(r"^    first: (white(?:.|\n {8})*)", WORD_TABLE, re.M)[0].split()))
BLACK = frozenset(map(folded, re.findall(r"^    second: (black(?:.|\n {8})*)", WORD_TABLE, re.M)[0].split()))
SHORTEST = 3  # letters of a word that stands in another one
JOINTS = ("", "s", "n", "e", "en", "es", "a")  # letters between the words of one, as in Mannschaftsname

# What the words of a heading say together: the role, by what must be told and what may be.
SIDED = {"who": "", "points": "_points", "rating": "_rating", "after rating": "_rating_after", "id": "_id"}


@lru_cache(maxsize=1 << 12)
def words_of(heading: str) -> tuple[str, ...]:
    """Return the words of a heading as they are cut, folded.

    >>> words_of("ToreHeim"), words_of("Home_Score 1"), words_of("hjemmemaal")
    (('tore', 'heim'), ('home', 'score', '1'), ('hjemme', 'maal'))
    """
    if len(heading) > LONGEST:
        return ()
    heading = unicodedata.normalize("NFC", heading).replace("’", "'").replace("'s ", " ")
    parted = re.sub(r"(?<=[^\W\d_A-ZÀ-Þ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", heading)
    found: list[str] = []
    for token in re.findall(r"[^\W_]+", parted):
        word = folded(token)
        found += [word] if word in WORDS else _cut(word) or [word]
    return tuple(found)


def _cut(word: str) -> list[str]:
    """Return the known words that a word is made of, nothing where it is not."""
    ways: dict[int, list[str]] = {0: []}
    for end in range(SHORTEST, len(word) + 1):
        for start in range(end - SHORTEST + 1):
            if end in ways or start not in ways or (piece := word[start:end]) not in WORDS:
                continue
            for joint in JOINTS:
                at = start - len(joint)
                if at in ways and word[at:start] == joint and (at or not joint):
                    ways[end] = [*ways[at], piece]
                    break
        if end not in ways:
            continue
        for joint in JOINTS[1:]:
            if word.startswith(joint, end):
                ways.setdefault(end + len(joint), ways[end])
    # A joint stands between words, not behind the last one.
    whole = ways.get(len(word), [])
    return whole if whole and word.endswith(whole[-1]) else []


def role_of(heading: str, sides: Mapping[str, str] | None = None) -> str | None:
    """Return the role that a heading names by its words, None for a heading that names none.

    `sides` says of further words whether they are the first or the second side's.

    >>> role_of("Joueur blanc"), role_of("Tore Gast"), role_of("Date of the match"), role_of("Home corners")
    ('white', 'black_points', 'date', None)
    """
    words = words_of(heading)
    kinds = [(sides[word],) if sides and word in sides else WORDS.get(word, ()) for word in words]
    if not words or not all(kinds):
        return None
    told: set[str] = set()
    for at, some in enumerate(kinds):
        told |= {_meant(some, kinds[:at] + kinds[at + 1 :])}
    numbered = {"number1": FIRST, "number2": SECOND}
    told = {numbered.get(kind, kind) for kind in told} - {"nothing"}
    if numbers := [words[at] for at, some in enumerate(kinds) if some[0] in numbered]:
        return None if len(words) == 1 or len(numbers) > 1 else _role(told, "who" in told)
    return _role(told, "nothing" not in {some[0] for some in kinds} or bool(told & {"who", "points"}))


def _meant(some: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    """Return what a word of several meanings says among the others: `time` is a team in `time_mandante`."""
    if len(some) == 1:
        return some[0]
    beside = {kind for kinds in others for kind in kinds}
    if beside & {FIRST, SECOND} and "who" in some:
        return "who"
    return next((kind for kind in some if kind != "nothing"), "nothing")


def _role(told: set[str], may_be_side: bool) -> str | None:
    """Return the role of what is told together."""
    side = told & {FIRST, SECOND}
    rest = told - side - {"before"}
    if "time" in rest and side and rest <= {"time", "points", "result"}:
        rest -= {"time"}  # a team, in Portuguese
    if len(side) > 1 or (rest & {"winner", "loser", "opponent", "own"} and side):
        return None
    if side:
        return _of_side("white" if FIRST in side else "black", rest, may_be_side)
    if "own" in rest and rest <= {"own", "won", "result", "points"} and len(rest) > 1:
        return "score"
    if rest == {"number", "round"} or rest == {"id", "round"}:
        return "round"
    return ALONE.get(frozenset(rest - {"who"} if len(rest) > 1 and not rest & {"own"} else rest))


def _of_side(colour: str, rest: set[str], may_be_side: bool) -> str | None:
    if rest & {"points", "result"}:
        rest = rest - {"points", "result", "who", "won"} | {"points"}
    if len(rest) > 1:
        rest = rest - {"who"}
    if not rest:
        return colour if may_be_side else None
    kind = " ".join(sorted(rest))
    return colour + SIDED[kind] if kind in SIDED else None


ALONE: dict[frozenset[str], str] = {
    frozenset(kinds.split()): role
    for kinds, role in (
        ("date", "date"),
        ("date time", "date"),
        ("time", "time"),
        ("result", "score"),
        ("points", "score"),
        ("result points", "score"),
        ("winner", "winner"),
        ("won", "winner"),
        ("loser", "loser"),
        ("winner points", "white_points"),
        ("loser points", "black_points"),
        ("winner rating", "white_rating"),
        ("loser rating", "black_rating"),
        ("opponent", "opponent"),
        ("opponent rating", "opponent_rating"),
        ("opponent id", "opponent_id"),
        ("own who", "owner"),
        ("own rating", "my_rating"),
        ("after own rating", "my_rating_after"),
        ("round", "round"),
    )
}


def asks_who_won(heading: str) -> bool:
    """Tell whether a heading asks its reader about a win, as `Did you win?` does: yes and no are results under it."""
    kinds = {kind for word in words_of(heading) for kind in WORDS.get(word, ())}
    return kinds <= {"own", "won", "nothing"} and {"own", "won"} <= kinds


def contrasted(headings: Sequence[str]) -> dict[str, str]:
    """Return the words that tell two sides apart in headings which are otherwise the same, by the side they are of.

    >>> contrasted(["Red player", "Blue player", "Red score", "Blue score"])
    {'red': 'first', 'blue': 'second'}
    """
    places: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for heading in dict.fromkeys(headings):
        words = words_of(heading)
        for at in range(len(words)):
            same = words[:at] + words[at + 1 :]
            if {kind for word in same for kind in WORDS.get(word, ())} & {"who", "points", "rating"}:
                places.setdefault((at, same), []).append(words[at])
    pairs = {tuple(found) for found in places.values() if len(found) == 2 and not any(word in WORDS for word in found)}
    if len(pairs) != 1 or any(len(found) > 2 for found in places.values()):
        return {}
    return dict(zip(pairs.pop(), (FIRST, SECOND), strict=True))


def roles_of(headings: Sequence[str]) -> list[str | None]:
    """Return the role of each heading by its words, None for none; what there is a third of tells no side.

    Nor do the numbered players of one side, `Home player 1` and `Home player 2`: a game of sides is read elsewhere.
    """
    sides = contrasted(headings)
    stems = [tuple(word for word in words_of(one) if not word.isdigit()) for one in headings]
    numbers = [tuple(word for word in words_of(one) if word.isdigit()) for one in headings]
    third = {stem for stem, number in zip(stems, numbers, strict=True) if number and number[0] not in ("1", "2")}
    found = [
        None if number and stem in third else role_of(one, sides)
        for one, stem, number in zip(headings, stems, numbers, strict=True)
    ]
    letters = [folded(one) for one in headings]
    if {"w", "b"} <= set(letters) and "a" not in letters:
        found[letters.index("w")] = "white"
    numbered = Counter(stem for stem, number in zip(stems, numbers, strict=True) if number)
    teams = {
        stem for stem, many in numbered.items() if many > 1 and role_of(" ".join(stem), sides) in ("white", "black")
    }
    return [
        None if stem in teams or (role == "score" and found.count(role) > 1 and is_of_points(one)) else role
        for stem, role, one in zip(stems, found, headings, strict=True)
    ]


def is_of_points(heading: str) -> bool:
    """Tell whether a heading names points and no result, `Tore` or `points`: several are those of several players."""
    return not any("result" in WORDS.get(word, ()) for word in words_of(heading))


def is_of_white(heading: str) -> bool:
    """Tell whether a heading names White, as those of chess do."""
    return folded(heading) == "w" or (role_of(heading) == "white" and any(map(WHITE.__contains__, words_of(heading))))
