"""Which old encoding a text is in, by what its letters would be in each.

The code pages of Windows agree on many letters. Where they do not, the one counts in which the most different letters
beyond ASCII are those of one language: `Dvořák` and `Černý` in Windows-1250 would be `Dvoøák` and `Èerný`, which no
language writes. In a script of its own, as Cyrillic, letters do not stand among those of ASCII, and no capital behind
a small one. Those of East Asia have two bytes for a sign, which are frequent ones in the right encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from itertools import pairwise

WINDOWS = "Windows-1252"
# The letters beyond ASCII of languages, small ones, by the encodings in which they are written.
ALPHABETS: dict[str, tuple[str, ...]] = {
    WINDOWS: (
        "äöüß",
        "àâæçéèêëîïôœùûüÿ",
        "áéíóúüñªº",
        "áâãàçéêíóôõúüªº",
        "àéèìíîòóùú",
        "åäöé",
        "æøåéó",
        "áðéíóúýþæö",
        "éëïóöüèê",
        "àçèéíïòóúü",
    ),
    "Windows-1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíľĺňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîșțşţ"),
    "Windows-1254": ("çğıöşüâî",),
    "Windows-1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
}
OTHER_SCRIPTS = ("Windows-1251", "KOI8-R", "CP866")
HIGH = re.compile(rb"[\x80-\xff]+")
HANGUL, KANA = re.compile("[\uac00-\ud7a3]"), re.compile("[\u3041-\u30fe]")
# The encodings of East Asia with what is frequent in them: syllables, kana, and signs by their first bytes.
EAST_ASIAN: dict[str, Callable[[str, int], object]] = {
    "CP932": lambda sign, first: KANA.match(sign) or first in range(0x81, 0x98),
    "EUC-KR": lambda sign, first: HANGUL.match(sign),
    "EUC-JP": lambda sign, first: KANA.match(sign) or first in range(0xB0, 0xD0),
    "Big5": lambda sign, first: first in range(0xA4, 0xC7),
    "GB18030": lambda sign, first: first in range(0xB0, 0xD8),
}
FREQUENT = 0.9  # of the signs must be
WORDS = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
LOOKED_AT = 1 << 20


def guessed(data: bytes) -> str:
    """Return the encoding that bytes which are no UTF-8 are most likely in, Windows-1252 where nothing tells.

    >>> guessed("Дата;Белые".encode("cp1251")), guessed("Dvořák".encode("cp1250")), guessed("Müller".encode("cp1252"))
    ('Windows-1251', 'Windows-1250', 'Windows-1252')
    """
    if found := _east_asian(data[:LOOKED_AT]):
        return found
    words = sorted(set(WORDS.findall(data[:LOOKED_AT])))
    alone = [word for word in words if len(word) > 2 and not any(byte < 0x80 for byte in word)]
    if 2 * len(alone) > len(words):
        return min(OTHER_SCRIPTS, key=lambda encoding: _odd_letters(alone, encoding))
    return max(ALPHABETS, key=lambda encoding: _of_one_language(words, encoding))


def _east_asian(data: bytes) -> str:
    """Return the encoding of East Asia in which nearly all signs are frequent ones, nothing where there is none."""
    high = HIGH.findall(data)
    if 2 * sum(len(run) for run in high if len(run) > 1) < sum(map(len, high)):
        return ""
    for encoding, frequent in EAST_ASIAN.items():
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(data)
        except UnicodeError:
            continue
        signs = [sign for sign in text if sign.isalpha() and not sign.isascii()]
        if encoding == "EUC-JP" and not any(map(KANA.match, signs)):
            continue  # or Chinese
        if signs and sum(bool(frequent(sign, sign.encode(encoding)[0])) for sign in signs) >= FREQUENT * len(signs):
            return encoding
    return ""


def _odd_letters(words: list[bytes], encoding: str) -> int:
    """Return how many signs are no letters, or capitals behind small letters."""
    texts = [word.decode(encoding, "replace") for word in words]
    pairs = sum(one.islower() and two.isupper() for text in texts for one, two in pairwise(text))
    return pairs + sum(not sign.isalpha() for text in texts for sign in text)


def _of_one_language(words: list[bytes], encoding: str) -> int:
    """Return how many different letters beyond ASCII are those of the language that has the most of them."""
    found = {sign for word in words for sign in word.decode(encoding, "replace").lower() if not sign.isascii()}
    return max(len(found & set(letters)) for letters in ALPHABETS[encoding])
