"""Serves until it is told to end, and then for as long as somebody may still want the logs of a service that died.

The kubelet ends a sidecar once the service's container has ended, however it did.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from aiohttp import web

from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.sidecar.server import Sidecar
from pacecar.system.resources import Resources

#: How long a connection may be idle: between two pairs of readings lies a whole window.
_IDLE_S = 600.0
#: Less than the kubelet waits until it kills.
_LINGER_S, _POLL_S = 20.0, 0.2


async def _serve(sidecar: Sidecar) -> None:
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    runner = web.AppRunner(sidecar.application(), access_log=None, handle_signals=False, keepalive_timeout=_IDLE_S)
    await runner.setup()
    # The pod's own address and its loopback interface: which of both we are reached by is the network's affair.
    for address in dict.fromkeys((os.environ[layout.ADDRESS], "127.0.0.1")):
        await web.TCPSite(runner, address, int(os.environ[layout.PORT])).start()
    await told.wait()
    until = loop.time() + _LINGER_S
    while not sidecar.released and loop.time() < until:
        await asyncio.sleep(_POLL_S)
    await runner.cleanup()


def main() -> None:
    """Run the sidecar of this pod by its environment."""
    with Resources() as resources:
        sidecar = Sidecar(
            token=os.environ[layout.TOKEN],
            port=int(os.environ[layout.SERVICE_PORT]),
            shared=Path(layout.SHARED),
            resources=resources,
        )
        asyncio.run(_serve(sidecar))


if __name__ == "__main__":
    main()
