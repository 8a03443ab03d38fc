"""Serves until everything was fetched, or it is told to end."""

from __future__ import annotations

import os
from pathlib import Path

from pacecar.measurement.load.gatling.pod import layout
from pacecar.measurement.load.gatling.pod.server import GatlingServer
from pacecar.measurement.pods import serving
from pacecar.system.resources import Resources


def main() -> None:
    """Run the program of this pod by its environment."""
    with Resources() as resources:
        server = GatlingServer(token=os.environ[serving.TOKEN], shared=Path(layout.SHARED), resources=resources)
        serving.serve(server.application(), released=lambda: True, linger_s=0.0)


if __name__ == "__main__":
    main()
