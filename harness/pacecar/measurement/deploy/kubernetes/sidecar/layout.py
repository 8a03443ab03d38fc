"""Where things lie in the pod of a fork, as its sidecar and its service see them."""

from __future__ import annotations

from pathlib import PurePosixPath

#: The volume that both have.
SHARED = PurePosixPath("/pacecar")
#: What the service is to read: its jar, the agents.
FILES = SHARED / "files"
#: What its JVM may write to, and load libraries from.
SCRATCH = SHARED / "run"
#: What its counter agent is told, see `deploy.jvm.agent_socket`.
SOCKET = SCRATCH / "counters.sock"
#: Where its JVM logs collections.
LOGS = SHARED / "log"
#: There once every file is: then the service may start.
COMPLETE = SHARED / "complete"

#: Variable of the sidecar beside those of every server in a pod: the port of the service.
SERVICE_PORT = "PACECAR_SERVICE_PORT"
MODULE = "pacecar.measurement.deploy.kubernetes.sidecar"
#: A folder of the sidecar's alone.
STATE = "/pacecar-state"

#: The status where there is no service to be asked.
GONE = 410
