"""Names from real logs, and the headers that people write, in their language."""

from __future__ import annotations

NAMES = (
    ("England", "Scotland", "Wales", "Ireland", "Hungary", "Austria", "Belgium", "Netherlands", "Argentina"),
    ("Abdusattorov", "Aravindh", "Erigaisi", "Maghsoodloo", "Nepomniachtchi", "Rapport", "Sindarov", "Yakubboev"),
    ("AKR", "BFF", "CBD", "CHI", "COL", "DAY", "DHR", "RII", "ROC"),
    ("Österreich", "Schweiz", "España", "Česko", "Côte d'Ivoire", "Suède", "Perú", "Türkiye"),
    ("Player 1", "Player 2", "Player 3", "Player 4", "Player 5", "Player 6", "Player 7"),
)

_KEYS = (
    "date no one two result goals_1 goals_2 before_1 before_2 score_1 score_2 expected_1 expected_2 k_1 k_2 change_1 "
    "change_2 after_1 after_2 player start rating rank games points month week total bye bonus friendly draw scale k "
    "edge log list settings opponent margin season"
).split()
_WORDS = {
    "en": "Date|No.|Home|Away|Result|Goals H|Goals A|Elo H|Elo A|Score H|Score A|Exp. H|Exp. A|K H|K A|+/- H|"
    "+/- A|New H|New A|Player|Start|Rating|Rank|Games|Points|Month|Week|Total|bye|Bonus|friendly|draw|"
    "Scale|K|Home advantage|Games|Players|Settings|Opponent|Margin|Season",
    "plain": "Day|#|White|Black|Outcome|Pts W|Pts B|Before W|Before B|Pts white|Pts black|We W|We B|K-factor W|"
    "K-factor B|Change W|Change B|After W|After B|Name|Initial|Elo now|#|Played|Score|Month|Round|Sum|"
    "BYE|Correction|unrated|tie|Divisor|K-factor|Bonus for home|Log|Ranking|Parameters|Against|"
    "Difference|Year",
    "de": "Datum|Nr.|Heim|Gast|Ergebnis|Tore H|Tore G|Elo H|Elo G|Punkte H|Punkte G|Erw. H|Erw. G|K H|K G|"
    "Diff. H|Diff. G|Elo neu H|Elo neu G|Spieler|Startwert|Wertung|Platz|Spiele|Punkte|Monat|Woche|Summe|"
    "spielfrei|Bonus|Freundschaft|remis|Skala|K|Heimvorteil|Partien|Liste|Vorgaben|Gegner|Abstand|Saison",
    "fr": "Jour|N°|Domicile|Extérieur|Résultat|Buts D|Buts E|Elo D|Elo E|Score D|Score E|Att. D|Att. E|K D|K E|"
    "Var. D|Var. E|Nouv. D|Nouv. E|Joueur|Départ|Classement|Rang|Parties|Points|Mois|Semaine|Total|"
    "exempt|Bonus|amical|nulle|Échelle|K|Avantage domicile|Parties|Joueurs|Réglages|Adversaire|Écart|"
    "Saison",
    "es": "Fecha|N.º|Local|Visita|Resultado|Goles L|Goles V|Elo L|Elo V|Punt. L|Punt. V|Esp. L|Esp. V|K L|K V|"
    "Camb. L|Camb. V|Nuevo L|Nuevo V|Jugador|Inicial|Rating|Puesto|Partidas|Puntos|Mes|Semana|Total|"
    "libre|Bono|amistoso|tablas|Escala|K|Ventaja local|Partidas|Jugadores|Ajustes|Rival|Diferencia|"
    "Temporada",
    "pl": "Data|Lp.|Gospodarz|Gość|Wynik|Gole G|Gole P|Elo G|Elo P|Pkt G|Pkt P|Ocz. G|Ocz. P|K G|K P|Zm. G|"
    "Zm. P|Nowe G|Nowe P|Gracz|Start|Ranking|Miejsce|Mecze|Punkty|Miesiąc|Tydzień|Suma|pauza|Premia|"
    "towarzyski|remis|Skala|K|Atut gospodarza|Mecze|Gracze|Ustawienia|Przeciwnik|Różnica|Sezon",
    "ru": "Дата|№|Дома|В гостях|Итог|Голы Д|Голы Г|Эло Д|Эло Г|Очки Д|Очки Г|Ож. Д|Ож. Г|K Д|K Г|Изм. Д|Изм. Г|"
    "Новый Д|Новый Г|Игрок|Начало|Рейтинг|Место|Игры|Очки|Месяц|Неделя|Итого|отдых|Бонус|товарищеская|"
    "ничья|Шкала|K|Фора хозяев|Партии|Игроки|Настройки|Соперник|Разница|Сезон",
}
LANGUAGES = {name: dict(zip(_KEYS, text.split("|"), strict=True)) for name, text in _WORDS.items()}
