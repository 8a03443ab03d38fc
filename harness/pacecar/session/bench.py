"""What outlives a pair: everything needed to measure one more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pacecar.builds.artifact import Artifact
from pacecar.custody import Custody
from pacecar.deploy.cores import Cores
from pacecar.deploy.fork import Way
from pacecar.experiment import Experiment, Side
from pacecar.peers.exchange import Server
from pacecar.receiver.server import Receiver
from pacecar.session.progress import Phase, Stopwatch
from pacecar.toolchain import Toolchain

Say = Callable[[Phase, str], None]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The experiment, its built sides, the way they are deployed, the tools, and who is told what goes on.

    `turns` says why the sides cannot be up at the same time; "" when they can. `prometheus` is the server that is asked
    for metrics; None when there is none.
    """

    experiment: Experiment
    artifacts: dict[Side, Artifact]
    way: Way
    toolchain: Toolchain
    receiver: Receiver
    custody: Custody
    cores: Cores
    stopwatch: Stopwatch
    java: Path
    say: Say
    turns: str = ""
    prometheus: Server | None = None
