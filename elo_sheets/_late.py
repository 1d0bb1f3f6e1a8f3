"""numpy and pandas, each imported once something of it is asked for, so that what needs neither starts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Array", "NDArray", "np", "pd"]

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Array = np.ndarray[Any, Any]
else:
    from importlib import import_module
    from types import ModuleType

    class _Late(ModuleType):
        """A module under its name, which is imported and stands in its own place from the first name asked of it."""

        def __getattr__(self, name):
            module = import_module(self.__name__)
            self.__dict__.update(vars(module))
            return getattr(module, name)

    np, pd = _Late("numpy"), _Late("pandas")
    Array = NDArray = Any
