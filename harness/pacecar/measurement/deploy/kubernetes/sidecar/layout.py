"""Where things lie in the pod of a fork, as its sidecar and its service see them."""

from __future__ import annotations

from pathlib import PurePosixPath

#: The volume that both have.
SHARED = PurePosixPath("/pacecar")
#: What the service is to read: its jar, the agents.
FILES = SHARED / "files"
#: What its JVM may write to, and load libraries from.
SCRATCH = SHARED / "run"
#: Where its counter agent listens.
SOCKET = SCRATCH / "counters.sock"
#: Where its JVM logs collections.
LOGS = SHARED / "log"
#: There once every file is: then the service may start.
COMPLETE = SHARED / "complete"

#: Variables of the sidecar: its port, its token, the address of its pod, and the port of the service.
PORT, TOKEN, ADDRESS = "PACECAR_SIDECAR_PORT", "PACECAR_SIDECAR_TOKEN", "PACECAR_SIDECAR_ADDRESS"
SERVICE_PORT = "PACECAR_SERVICE_PORT"
MODULE = "pacecar.measurement.deploy.kubernetes.sidecar"
#: A folder of the sidecar's alone.
STATE = "/pacecar-state"

#: The header with the SHA-256 of a file that is sent, and the status where there is no service to be asked.
DIGEST, GONE = "X-Content-SHA256", 410
