"""Serves until it is told to end."""

from __future__ import annotations

import os
from pathlib import Path

from aiohttp import web

from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.sidecar.server import Sidecar
from pacecar.system.resources import Resources

#: How long a connection may be idle: between two pairs of readings lies a whole window.
_IDLE_S = 600.0


def main() -> None:
    """Run the sidecar of this pod by its environment."""
    with Resources() as resources:
        sidecar = Sidecar(
            token=os.environ[layout.TOKEN],
            port=int(os.environ[layout.SERVICE_PORT]),
            shared=Path(layout.SHARED),
            resources=resources,
        )
        # The pod's own address and its loopback interface: which of both we are reached by is the network's affair.
        addresses = list(dict.fromkeys((os.environ[layout.ADDRESS], "127.0.0.1")))
        port = int(os.environ[layout.PORT])
        web.run_app(
            sidecar.application(), host=addresses, port=port, access_log=None, print=None, keepalive_timeout=_IDLE_S
        )


if __name__ == "__main__":
    main()
