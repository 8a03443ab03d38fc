"""What the program in the pod of a load generator is asked and answers, as JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pacecar.measurement.load.injector import BlockProgress, Clock
from pacecar.model.experiment import Side

_STRICT = ConfigDict(extra="forbid", strict=True)
_MOST_ENTRIES = 10_000
#: In a hint: the folder that what Gatling leaves lies in, wherever that is.
FOLDER = "{folder}"
_Ns = Annotated[int, Field(ge=0, lt=2**63)]
_Text = Annotated[str, Field(max_length=4_000)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class Start(BaseModel):
    """How Gatling is to be started; the plan lies beside it.

    Attributes:
        simulation: its class.
        classpath: below the folder of files, in order.
        inherit: variables that it gets beside the usual.
        heap_bytes: of its JVM.
        index: of its share.
        of: how many share the load.
    """

    model_config = _STRICT

    simulation: str
    classpath: Annotated[list[str], Field(max_length=_MOST_ENTRIES)]
    inherit: list[str]
    heap_bytes: Annotated[int, Field(gt=0)]
    index: Annotated[int, Field(ge=0)]
    of: Annotated[int, Field(ge=1)]


class ClockTold(BaseModel):
    """`Clock` of the pod's own time."""

    model_config = _STRICT

    load_start_ns: _Ns
    measure_start_ns: _Ns
    slice_ns: _Ns
    gap_ns: _Ns
    final: bool

    def here(self, ahead_ns: int) -> Clock:
        """It as our clock has it, which is that much behind."""
        return Clock(
            load_start_ns=self.load_start_ns - ahead_ns,
            measure_start_ns=self.measure_start_ns - ahead_ns,
            slice_ns=self.slice_ns,
            gap_ns=self.gap_ns,
            final=self.final,
        )


class BlocksTold(BaseModel):
    """`BlockProgress`."""

    model_config = _STRICT

    operations: Annotated[int, Field(ge=0)]
    answered: Annotated[list[_Text], Field(max_length=_MOST_ENTRIES)]

    def here(self) -> BlockProgress:
        """It as it is told here."""
        return BlockProgress(operations=self.operations, answered=tuple(self.answered))


class Failure(BaseModel):
    """Why Gatling has failed.

    Attributes:
        message: a sentence.
        hint: what to do, with `FOLDER`; None for nothing.
        lost: it was killed: nothing that the builds, the simulation or the configuration did.
    """

    model_config = _STRICT

    message: _Text
    hint: _Text | None
    lost: bool


class GatlingStatus(BaseModel):
    """How Gatling stands.

    Attributes:
        time_ns: now, by the pod's clock.
        boot: what tells its machine from all others.
        status: exit status; None while it runs, or before it was started.
        cpu_ns: CPU time that it has taken; 0 once it has ended.
        lead_ns: how long ahead it must know when its load begins; None until it is ready.
        clock: as announced; None before.
        sent: requests to each side in the warm-up.
        failure: why it ended, where it failed; None where it did not.
    """

    model_config = _STRICT

    time_ns: _Ns
    boot: Annotated[str, Field(max_length=64)]
    status: int | None
    cpu_ns: _Ns
    lead_ns: _Ns | None
    clock: ClockTold | None
    sent: dict[Annotated[Side, Field(strict=False)], _Ns]
    failure: Failure | None


class Left(BaseModel):
    """The files that it has left: name -> bytes."""

    model_config = _STRICT

    files: dict[_Name, _Ns] = Field(max_length=100)
