"""What services say of single requests: spans as OpenTelemetry's agent exports them, kept of a few requests.

In come the bodies of uploads and the table of arrivals; the table `spans` comes out.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from pacecar.measurement.spans.chosen import chosen
from pacecar.model.tables import empty_table


def told_spans(bodies: Collection[Path], *, seed: int, arrivals: pd.DataFrame | None) -> pd.DataFrame:
    """The spans of the requests of a fork that are worth a look, in the columns of `TABLES["spans"]`.

    Args:
        bodies: of uploads, as they came; what cannot be read of them is left out.
        seed: of the pair.
        arrivals: of the fork; None when nothing is known of its requests.
    """
    if not bodies or arrivals is None:
        return empty_table("spans")
    from pacecar.measurement.spans.otlp import spans_of  # only who asks for spans needs what reads them

    return spans_of(bodies, seed=seed, numbers=chosen(arrivals))
