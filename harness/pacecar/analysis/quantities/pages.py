"""What a service's metrics page is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import family
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Scope

#: Begins where a word does: else a long one would be tried from each of its letters.
_LABEL = re.compile(r'(?<!\w)(\w++)="((?:[^"\\]|\\.)*+)"')
#: What a metric's name ends with in the series that a histogram, a summary or a counter is made of.
_PART = re.compile(r"_(?:bucket|sum|count|max|total|created)$")
_NO_PAGE = Lacking(reason="the service's metrics page")
_SWITCH = "target.metrics"
#: What stands in a line of the page beside name and labels: braces, a blank, a value, the end.
_LINE_BYTES = 8


def _series(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Metric -> its series on the last page."""
    page = _last_page(fork)
    if page.empty:
        return _NO_PAGE
    return {Scope(series=str(metric)): float(count) for metric, count in _metrics(page).value_counts().items()}


def _page_bytes(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Metric -> about how many bytes of the last page its series take."""
    page = _last_page(fork)
    if page.empty:
        return _NO_PAGE
    size = page["name"].astype(str).str.len() + page["labels"].astype(str).str.len() + _LINE_BYTES
    return {Scope(series=str(metric)): float(total) for metric, total in size.groupby(_metrics(page)).sum().items()}


def _label_values(fork: MeasuredFork) -> Mapping[Scope, float] | Lacking:
    """Metric and label -> how many values the label has on the last page."""
    page = _last_page(fork)
    if page.empty:
        return _NO_PAGE
    values: dict[Scope, set[str]] = {}
    for metric, text in zip(_metrics(page), page["labels"], strict=True):
        for label, value in _LABEL.findall(str(text)):
            values.setdefault(Scope(series=metric, label=label), set()).add(value)
    return {scope: float(len(found)) for scope, found in values.items()}


def _metrics(page: pd.DataFrame) -> pd.Series[str]:
    """The metric that each series belongs to."""
    return page["name"].astype(str).str.replace(_PART, "", regex=True)


def _last_page(fork: MeasuredFork) -> pd.DataFrame:
    """Both sides have served the same load by then."""
    scrapes, rows = fork.inside("scrapes"), fork.inside("series")
    good = scrapes[scrapes["error"].fillna("") == ""].sort_values("time_ns")
    if good.empty:
        return rows.iloc[:0]
    last = good.iloc[-1]
    page: pd.DataFrame = rows[(rows["window"] == last["window"]) & (rows["edge"] == last["edge"])]
    return page


SERIES = family("page-series", "Series on the metrics page", "1", _series, switch_on=_SWITCH)
PAGE_BYTES = family("page-bytes", "Bytes of the metrics page", "B", _page_bytes, switch_on=_SWITCH)
LABELS = family("page-labels", "Values of the label", "1", _label_values, switch_on=_SWITCH)
