"""What failing requests say."""

from __future__ import annotations

from collections.abc import Mapping

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities.measured import Family, family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Scope


def failures(endpoint: str) -> Family:
    """Message -> share of the requests to `endpoint` that failed with it, in %; the message stands in `dependency`."""

    def read(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
        requests = fork.requests
        if endpoint != ALL:
            requests = requests[requests["endpoint"] == endpoint]
        messages = requests.loc[~requests["ok"].astype(bool), "message"].value_counts()
        return {
            Scope(dependency=str(text)): 100 * float(count) / max(1, len(requests)) for text, count in messages.items()
        }

    return family(f"failures {endpoint}", "Share of requests that failed with it", "%", read)
