"""Where a document's figures come from: builds, machines, tools, time, and how each pair went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.experiment import Side
from pacecar.model.recording import Fingerprint, ForkRecord, Manifest, Pair, ProfileQuality
from pacecar.reporting.document.provenance_shapes import BuildRow, MachineRow, PhaseTime, Provenance, Tool
from pacecar.reporting.document.shapes import DependencyRow, ForkRow, PairRow, ProfileRow

_TOOLS = 40
_PHASES = 20
_ARGUMENTS = 60
_NOTES = 10
_CPUS = 64
_DEPENDENCIES = 20
#: Phases a run needs whatever drives it; the rest of its time is the harness's own.
_NOT_THE_HARNESS = frozenset({"build", "deploy", "warm-up", "load"})


def provenance(manifest: Manifest, *, baseline: Manifest | None, pairs: Sequence[Pair]) -> Provenance:
    """Builds, machines, tools and time of a run.

    Args:
        manifest: of the run.
        baseline: of a stored baseline.
        pairs: of both, whose forks say what they ran on.
    """
    duration_s = sum(manifest.phases_s.values())
    own_s = sum(seconds for phase, seconds in manifest.phases_s.items() if phase not in _NOT_THE_HARNESS)
    phases = sorted(manifest.phases_s.items(), key=lambda entry: -entry[1])[:_PHASES]
    return Provenance(
        builds=_builds(manifest, baseline=baseline, ran_on=_ran_on(pairs)),
        machine=_machine(manifest.machine),
        baseline_machine=_machine(baseline.machine) if baseline else None,
        tools=tuple(Tool(name=name, version=version) for name, version in sorted(manifest.tools.items())[:_TOOLS]),
        repeat=manifest.repeat[:_ARGUMENTS],
        configuration_sha256=manifest.configuration_sha256,
        duration_s=duration_s,
        phases=tuple(PhaseTime(name=name, seconds=seconds) for name, seconds in phases),
        harness_share=own_s / duration_s if duration_s > 0 else None,
    )


def pair_rows(pairs: Sequence[Pair], *, voided: Mapping[int, str]) -> tuple[PairRow, ...]:
    """One row per pair by number, voided ones too, even where nothing of them was kept."""
    rows = [_pair_row(pair, voided=voided.get(pair.record.number)) for pair in pairs]
    recorded = {row.number for row in rows}
    rows += [
        PairRow(number=number, first=None, forks=(), notes=(), voided=reason)
        for number, reason in voided.items()
        if number not in recorded
    ]
    return tuple(sorted(rows, key=lambda row: row.number))


def _ran_on(pairs: Sequence[Pair]) -> dict[Side, str]:
    return {side: fork.jvm_version for pair in pairs for side, fork in pair.record.forks.items() if fork.jvm_version}


def _builds(manifest: Manifest, *, baseline: Manifest | None, ran_on: Mapping[Side, str]) -> tuple[BuildRow, ...]:
    built = dict(manifest.builds)
    if baseline is not None and baseline.builds:
        # A recording has one side, whatever it was called when it was made.
        built[Side.BASELINE] = baseline.builds.get(Side.BASELINE) or next(iter(baseline.builds.values()))
    return tuple(
        BuildRow(
            side=side,
            label=built[side].label,
            kind=built[side].kind,
            value=built[side].value,
            commit=built[side].commit,
            artifact_sha256=built[side].artifact_sha256,
            patched=bool(built[side].patch),
            jvm=ran_on.get(side) or built[side].jvm,
        )
        for side in Side
        if side in built
    )


def _machine(fingerprint: Fingerprint) -> MachineRow:
    return MachineRow(
        cpu_model=fingerprint.cpu_model,
        cores=fingerprint.cores,
        memory_bytes=fingerprint.memory_bytes,
        kernel=fingerprint.kernel,
        jvm=fingerprint.jvm,
        os=fingerprint.os,
    )


def _pair_row(pair: Pair, *, voided: str | None) -> PairRow:
    record = pair.record
    return PairRow(
        number=record.number,
        first=record.first,
        forks=tuple(_fork_row(pair, record.forks[side]) for side in Side if side in record.forks),
        notes=record.notes[:_NOTES],
        voided=voided,
    )


def _fork_row(pair: Pair, fork: ForkRecord) -> ForkRow:
    windows = [window for window in pair.record.windows if window.side is fork.side]
    return ForkRow(
        side=fork.side,
        jvm_version=fork.jvm_version,
        ready_s=fork.ready_s,
        cpus=fork.cpus[:_CPUS],
        windows=len(windows),
        measured_s=sum(window.seconds for window in windows),
        died=fork.died,
        profile=_profile_row(fork.profile) if fork.profile else None,
        dependencies=_dependency_rows(pair, fork),
    )


def _dependency_rows(pair: Pair, fork: ForkRecord) -> tuple[DependencyRow, ...]:
    if not fork.dependencies or fork.side not in pair.forks:
        return ()
    used = MeasuredFork.of(pair, fork.side).dependencies_s
    return tuple(DependencyRow(name=each.name, cpu_s=used.get(each.name)) for each in fork.dependencies[:_DEPENDENCIES])


def _profile_row(profile: ProfileQuality) -> ProfileRow:
    return ProfileRow(
        chunks=profile.chunks,
        unreadable=profile.unreadable,
        samples=profile.samples,
        failed_stacks=profile.failed_stacks,
        truncated_stacks=profile.truncated_stacks,
        cpu_ms_per_sample=1e3 * profile.accounted_cpu_s / profile.samples if profile.samples else None,
    )
