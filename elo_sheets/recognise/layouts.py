"""The layouts that are known, in the order in which a book is asked for them; what one owns no later one is told."""

from __future__ import annotations

from elo_sheets.recognise import tables
from elo_sheets.recognise.calculators import judge as calculators
from elo_sheets.recognise.ledgers import judge as ledgers
from elo_sheets.recognise.many import judge as many
from elo_sheets.recognise.many import lines, single
from elo_sheets.recognise.periods import against_mean, counts, glicko_periods
from elo_sheets.recognise.periods import judge as periods
from elo_sheets.recognise.predictions import matrices

LAYOUTS = (many, lines, single, glicko_periods, counts, against_mean, ledgers, calculators, matrices, periods, tables)
