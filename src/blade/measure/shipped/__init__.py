"""Agreement with what was shipped: sidecars recomputed by their own definitions from the rows.

`check_shipped` reads every sidecar of a run that states numbers, recomputes them by the definitions of
the tool that wrote them, and tells every disagreement beyond rounding with the rows that explain it.
"""

from blade.measure.shipped.registry import KINDS, check_shipped
from blade.measure.shipped.report import Disagreement, SourceCheck

__all__ = ["KINDS", "Disagreement", "SourceCheck", "check_shipped"]
