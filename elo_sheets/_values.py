"""Values of which a book has many: immutable to the type checker, and made in a fifth of the time of frozen ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True)
def plain(cls: type[Class]) -> type[Class]:
    """Make a class one of values that compare as such; nothing is changed in one once it is made.

    A frozen dataclass would hold that at run time, too, and set each of its fields through `object`.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
