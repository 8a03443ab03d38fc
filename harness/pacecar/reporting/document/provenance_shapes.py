"""The shapes in `document.json` of where its figures come from: builds, libraries, machines, tools, time."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.model.experiment import Side


@dataclass(frozen=True, kw_only=True)
class BuildRow:
    """What was deployed on one side.

    `commit` is None outside git; `jvm` is what it ran on: name, version and vendor, None when not known.
    """

    side: Side
    label: str
    kind: str
    value: str
    commit: str | None
    artifact_sha256: str
    patched: bool
    jvm: str | None


@dataclass(frozen=True, kw_only=True)
class LibraryRow:
    """A library that the builds have in different versions; None on the side that does without it."""

    name: str
    baseline: str | None
    candidate: str | None


@dataclass(frozen=True, kw_only=True)
class MachineRow:
    """The machine a side was measured on."""

    cpu_model: str
    cores: int
    memory_bytes: int
    kernel: str
    jvm: str
    os: str


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Something that took part, with its version."""

    name: str
    version: str


@dataclass(frozen=True, kw_only=True)
class PhaseTime:
    """Seconds a run spent in one phase."""

    name: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where the figures come from and how to get such figures again.

    Attributes:
        builds: baseline first.
        machine: of the candidate's run.
        baseline_machine: of the stored baseline; None when both sides ran side by side.
        tools: by name.
        repeat: the command line, one argument an item.
        configuration_sha256: digest of the configuration and the options that change a measurement.
        duration_s: all phases together.
        phases: longest first.
        harness_share: fraction of `duration_s` that is the harness's own; None when nothing was timed.
    """

    builds: tuple[BuildRow, ...]
    machine: MachineRow
    baseline_machine: MachineRow | None
    tools: tuple[Tool, ...]
    repeat: tuple[str, ...]
    configuration_sha256: str
    duration_s: float
    phases: tuple[PhaseTime, ...]
    harness_share: float | None
