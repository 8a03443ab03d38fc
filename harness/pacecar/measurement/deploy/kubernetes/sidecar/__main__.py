"""Serves until it is told to end, and then for as long as somebody may still want the logs of a service that died."""

from __future__ import annotations

import os
from pathlib import Path

from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.sidecar.server import Sidecar
from pacecar.measurement.pods import serving
from pacecar.system.resources import Resources

#: Less than the kubelet waits until it kills.
_LINGER_S = 20.0


def main() -> None:
    """Run the sidecar of this pod by its environment."""
    with Resources() as resources:
        sidecar = Sidecar(
            token=os.environ[serving.TOKEN],
            port=int(os.environ[layout.SERVICE_PORT]),
            shared=Path(layout.SHARED),
            resources=resources,
        )
        serving.serve(sidecar.application(), released=lambda: sidecar.released, linger_s=_LINGER_S)


if __name__ == "__main__":
    main()
