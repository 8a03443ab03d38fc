"""Where things lie in the pod of a load generator."""

from __future__ import annotations

from pathlib import PurePosixPath

#: The only place that its program may write to, beside `/tmp`.
SHARED = PurePosixPath("/pacecar")
#: What it is sent: the plan, how Gatling is to be started, and its class path.
FILES = SHARED / "files"
PLAN, START = "plan.json", "start.json"
#: Where Gatling runs.
RUN = SHARED / "run"
STATE = SHARED / "state"
MODULE = "pacecar.measurement.load.gatling.pod"
