"""Which values of the rows' fields go with failure, beyond chance."""

import numpy as np

from blade.explain.cases import Cases
from blade.explain.causes import names_merit
from blade.explain.fields import Field
from blade.explain.guard import ALPHA, NONE, association
from blade.explain.records import Predictor
from blade.measure.multiplicity import benjamini_hochberg


def predictors(cases: Cases, fields: list[Field]) -> list[Predictor]:
    """Values with which rollouts fail more often than without, the surest first; fields that restate are left out."""
    measured = np.flatnonzero(cases.measured)
    failed, stratum, run = cases.failed[measured], cases.stratum[measured], cases.run[measured]
    tried = []
    telling = [field for field in fields if not field.restates and not names_merit(field.name)]
    for value in (value for field in telling for value in field.values):
        shown = cases.mask(value.cases)[measured]
        found = association(shown, failed, stratum, run)
        if found.by != NONE and shown.any():
            counts = [int(chosen.sum()) for chosen in (shown & failed, shown, ~shown & failed, ~shown)]
            tried.append((value, found, counts))
    adjusted = benjamini_hochberg([found.p for _, found, _ in tried]).tolist()
    rows = [
        Predictor(
            field=value.field,
            value=value.value,
            failed=counts[0],
            measured=counts[1],
            failed_otherwise=counts[2],
            measured_otherwise=counts[3],
            p_adjusted=p,
            guard=found.by,
        )
        for (value, found, counts), p in zip(tried, adjusted, strict=True)
        if p < ALPHA
    ]
    return sorted(rows, key=lambda row: (row.p_adjusted or 0.0, row.field, row.value))
