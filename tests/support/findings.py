"""Findings besides the metrics of `support.documents`: frames, causes, and what requests consist of."""

from __future__ import annotations

from dataclasses import replace

from pacecar.model.causes import Cause, Exchange, Fact, Ledger, LedgerEntry, Scope, Share, Strength
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind


def frames() -> tuple[FrameChange, ...]:
    """Changed frames, hottest first: the cause, its neighbours, one that is gone, noise; what the cause allocates."""
    cause = FrameChange(
        event=ProfileKind.CPU,
        frame="com.example.orders.json.JacksonEncoder.write",
        application=True,
        self_baseline=0.62,
        self_candidate=1.03,
        self_change=0.41,
        low=0.33,
        high=0.49,
        total_baseline=0.70,
        total_candidate=1.12,
        pool="http-worker",
        endpoints=("GET /orders",),
        blamed=True,
        touched=True,
        below=(
            ("com.fasterxml.jackson.core.json.UTF8JsonGenerator._outputRaw", 0.22),
            ("java.util.Arrays.copyOf", 0.13),
        ),
    )
    gone = FrameChange(
        event=ProfileKind.CPU,
        frame="com.example.orders.cache.PriceCache.lookup",
        application=True,
        self_baseline=0.09,
        self_candidate=0.0,
        self_change=-0.09,
        low=-0.12,
        high=-0.06,
        total_baseline=0.11,
        total_candidate=0.0,
        pool="http-worker",
        blamed=True,
    )
    names = ("OrderController.list", "OrderRepository.find", "TaxRules.apply", "Money.round", "SearchIndex.scan")
    others = tuple(
        FrameChange(
            event=ProfileKind.CPU,
            frame=f"com.example.orders.{name}",
            application=True,
            self_baseline=0.2 / (number + 1),
            self_candidate=0.2 / (number + 1) + change,
            self_change=change,
            low=change - 0.02,
            high=change + 0.02,
            total_baseline=0.4 / (number + 1),
            total_candidate=0.4 / (number + 1) + change,
            pool="http-worker",
        )
        for number, (name, change) in enumerate(zip(names, (0.05, 0.031, -0.028, 0.012, -0.006), strict=True))
    )
    library = FrameChange(
        event=ProfileKind.CPU,
        frame="java.util.concurrent.ForkJoinPool.scan",
        application=False,
        self_baseline=0.05,
        self_candidate=0.06,
        self_change=0.01,
        low=-0.01,
        high=0.03,
        total_baseline=0.05,
        total_candidate=0.06,
        pool="ForkJoinPool.commonPool-worker",
    )
    allocating = replace(
        cause,
        event=ProfileKind.ALLOCATION,
        self_baseline=20_480.0,
        self_candidate=30_720.0,
        self_change=10_240.0,
        low=9_216.0,
        high=11_264.0,
        total_baseline=20_480.0,
        total_candidate=30_720.0,
        below=(("java.util.Arrays.copyOf", 8_192.0),),
    )
    return (cause, gone, *others, library, allocating)


def cause(statement: str) -> Cause:
    """A frame's, with one amount."""
    return Cause(
        name="hot-frame",
        title="Hot frame",
        statement=statement,
        strength=Strength.CERTAIN,
        share=Share(part=0.9, low=0.7, high=1.1),
        scope=Scope(frame="shop.orders.JacksonEncoder.write", pool="http-worker", endpoint="GET /orders"),
        facts=(
            Fact(
                quantity="CPU time per request",
                unit="ms",
                scope=Scope(),
                baseline=0.62,
                candidate=1.03,
                change=0.41,
                low=0.31,
                high=0.51,
                pairs=5,
            ),
        ),
        consequences=(consequence(),),
    )


def consequence() -> Cause:
    """Of a hot frame."""
    return Cause(
        name="waiting-for",
        title="Waiting",
        statement="Requests wait longer for other threads.",
        strength=Strength.LIKELY,
        share=Share(part=0.4, low=0.3, high=0.5),
        scope=Scope(dependency="other threads", endpoint="GET /orders"),
        facts=(
            Fact(
                quantity="time waiting per request",
                unit="ms",
                scope=Scope(dependency="other threads"),
                baseline=0.4,
                candidate=0.6,
                change=0.2,
                low=0.1,
                high=0.3,
                pairs=5,
            ),
        ),
    )


def ledger(endpoint: str = "") -> Ledger:
    """Of a mean that grew by 0.7 ms, most of it on a CPU."""

    def entry(part: str, baseline: float, change: float) -> LedgerEntry:
        ends = {"low": change - 0.1, "high": change + 0.1}
        return LedgerEntry(part=part, baseline=baseline, candidate=baseline + change, change=change, **ends)

    parts = (entry("on a CPU", 0.6, 0.4), entry("waiting for other threads", 0.4, 0.2), entry("unseen", 0.5, 0.1))
    return Ledger(endpoint=endpoint, baseline_ms=1.5, candidate_ms=2.2, entries=parts)


def exchanged() -> Ledger:
    """Of a mean that stayed what it was, while threads no longer waited for a lock but for a core."""
    given = (("waiting for a lock", 6.0, 0.5), ("ready, without a CPU", 0.3, 5.7), ("unseen", 0.5, 0.6))
    return Ledger(
        endpoint="GET /orders",
        baseline_ms=6.8,
        candidate_ms=6.8,
        entries=tuple(
            LedgerEntry(part=part, baseline=before, candidate=after, change=after - before, low=-6.0, high=6.0)
            for part, before, after in given
        ),
        exchange=Exchange(gone="waiting for a lock", come="ready, without a CPU"),
    )
