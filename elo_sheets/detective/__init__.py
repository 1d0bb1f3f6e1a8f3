"""What a rating rule must satisfy, asked of anybody's cells: facts, relations, explanations, gate.

`facts` says of each game which cells compare which ratings and which cells gain by it; `relations` evaluates sentences
on them, at the inputs that stand there and at others; `explain` looks for the smallest edit under which they hold;
`second_forms` tells where a column begins to follow another formula; `gate` lets nothing be called an error that a
recalculation does not bear out.
"""

from __future__ import annotations
