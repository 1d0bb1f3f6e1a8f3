"""Results that are said in words: `gana blancas`, `победа чёрных`, `1:0 kampflos`, `przełożona`.

A side and what became of it make a result; a word for a draw makes one alone. A word for a walkover or for a game that
was put off counts beside anything else, and a word that is none of these leaves the text open.
"""

from __future__ import annotations

import re
from functools import lru_cache

from elo_sheets.readers._headings import WORDS, folded

WON, LOST, DRAWN, FORFEITED, OPEN, FREE = "won", "lost", "drawn", "forfeited", "open", "free"

# Without case and accents: English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Norwegian, Danish,
# Polish, Czech, Russian, Ukrainian, Romanian, Finnish, Hungarian, Turkish, Croatian.
WORD_TABLE = """
    won: won win wins winner gewinnt gewann gewonnen sieg siegt gagne gagnent gagnant gain gains victoire victoires
        gana ganan gano ganaron victoria vence vencem venceu venceram vitoria ganha ganham ganhou vince vincono vinto
        vittoria wint winnen winst vann vinner vinst seger seier vandt vinder sejr wygral wygrala wygraly wygrana
        wygrywa wygrywaja zwyciestwo vyhra vyhral vyhrali vyhrava vitezstvi победа победил победили выиграл выиграли
        перемога castiga castigat voitto voitti voittaa voittivat gyozott gyoz nyert nyer kazandi kazanir galibiyet
        pobjeda pobeda
    lost: lost loses loss resigns resigned resign concedes conceded forfaits gibt aufgegeben abandonne abandona
        abandono verliert verlor verloren niederlage perd perdent perdu defaite pierde pierden perdio derrota perde
        perdem perdeu sconfitta perso verliest verlies forlust forlorade tapte tap tabte nederlag przegral przegrala
        przegraly przegrana porazka prohra prohral prohrali поражение проиграл проиграли поразка pierdut tappio havisi
        vereseg veszitett kaybetti yenilgi maglubiyet poraz
    drawn: jigo draw drawn draws drew tie tied remis remise remi remisa remiza unentschieden nulle nul egalite tablas
        empate empatan empataron empatada empatado empatou pareggio pareggiano patta pari gelijk gelijkspel oavgjort
        uavgjort uafgjort нічия ничья вничью tasapeli tasan dontetlen berabere beraberlik egal egalitate nerijeseno
        nereseno
    forfeited: forfeit forfeited forfait walkover walkower wo kampflos kl awarded default defaulted noshow
        incomparecencia angetreten tavolino kontumace kontumacne kontumacni kontumacja неявка техническое hukmen
        luovutus luovutusvoitto reglementair presentado presento presentou comparso comparecio compareceu
    open: tbc void annulled replayed afgezegd niet nicht ikke inte postponed postponement cancelled canceled abandoned
        abgesagt abgebrochen verlegt verschoben vertagt ausgefallen reporte reportee annule annulee aplazada aplazado
        suspendida suspendido cancelada cancelado anulada adiado adiada rinviata rinviato annullata sospesa uitgesteld
        afgelast uppskjuten uppskjutet installd installt utsatt avlyst udsat aflyst przelozona przelozony odwolana
        odwolany odlozena odlozeno zruseno отложена отложен перенесена перенос отменена amanat siirretty peruttu
        elhalasztva elmaradt ertelendi iptal odgodeno
    free: bye spielfrei freilos exempt descansa descanso riposo riposa libre folga wolny pauza выходной volno frirunda
        frirond oversittare spilfri vapaa vrij
"""
BESIDE = frozenset(
    "has have is are hat haben ist ha han for per na on time flag by agreement repetition resignation checkmate mate"
    " matt auf durch zeit aufgabe au temps mat por tiempo mate acuerdo tempo op tijd pa tid patt pat".split()
)
# As they are declined behind a word for a win: победа чёрных, wygrana białych.
DECLINED = dict.fromkeys("белых bialych bilych".split(), "first")
DECLINED |= dict.fromkeys("черных czarnych cernych".split(), "second")
# Behind a number alone: 1:0K, 1F.
MARKS = frozenset({"k", "f", "ff", "kl"})
SHORT = {"pp": OPEN, "aa": OPEN}  # P-P and A-A of British lists: postponed, abandoned


def _words() -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, words in re.findall(r"^    (\w+):((?:.|\n {8})*)", WORD_TABLE, re.M):
        for word in words.split():
            found.setdefault(folded(word), kind)
    return found


KNOWN = _words()
BYES = frozenset(re.findall(r"^    free:((?:.|\n {8})*)", WORD_TABLE, re.M)[0].split())


@lru_cache(maxsize=1 << 12)
def said(text: str) -> str:
    """Return what a text says: `1`, `0` or `½` for the first side, why there is no result, or nothing.

    >>> said("gana blancas"), said("победа чёрных"), said("black moved"), said("1:0 kl")
    ('1', '0', '', 'forfeited')
    """
    words = [folded(word) for word in re.findall(r"[^\W\d_]+", text)]
    kinds = [KNOWN.get(word, "") for word in words]
    if "".join(words) in SHORT and not any(map(str.isdigit, text)):
        return SHORT["".join(words)]
    if words and any(map(str.isdigit, text)) and words[-1] in MARKS and len(words) == 1:
        return FORFEITED
    for kind in (FORFEITED, OPEN, FREE):
        if kind in kinds:
            return kind
    if any(map(str.isdigit, text)) or not words:
        return ""
    sides = [_side(word) for word in words]
    if not all(kind or side or _is_beside(word) for word, kind, side in zip(words, kinds, sides, strict=True)):
        return ""
    named = {side for side in sides if side}
    told = {kind for kind in kinds if kind}
    if told == {DRAWN}:
        return "½"
    if len(named) > 1 or told not in ({WON}, {LOST}):
        return ""
    named = named or {"first"}  # a player's own win
    return "1" if (named == {"first"}) == (told == {WON}) else "0"


def _side(word: str) -> str:
    """Return the side that a word names, `first` or `second`; nothing for another one."""
    first = WORDS.get(word, ("",))[0]
    return first if first in ("first", "second") else DECLINED.get(word, "")


def _is_beside(word: str) -> bool:
    return word in BESIDE or bool({"who", "nothing"} & set(WORDS.get(word, ())))
