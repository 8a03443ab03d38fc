"""Having a cluster start load generators."""

from __future__ import annotations

import contextlib
import json
import os
import secrets as random
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from pacecar.errors import UsageError
from pacecar.measurement.guard import new_token
from pacecar.measurement.load.destination import is_loopback
from pacecar.measurement.load.gatling.plan import plan_document
from pacecar.measurement.load.gatling.pod import layout
from pacecar.measurement.load.gatling.pod.injector import PodInjector, SentInjector
from pacecar.measurement.load.gatling.pod.pod import InjectorOrder, pod_of, secret_of
from pacecar.measurement.load.gatling.pod.told import Start
from pacecar.measurement.load.injector import WHOLE, Injector, LoadShare, SlicedLoad
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.model.scenario import Scenario
from pacecar.system.cluster import FORK, ClusterError
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Owner
from pacecar.system.resources import Resources

#: Nobody's pair takes as long; a pod that was forgotten ends by itself.
_LIVES_S = 2 * 3600
#: Ports of programs in pods lie where a fork's sidecar has its own, apart from those that systems hand out.
_PORTS = range(20_000, 32_000)


class PodGatling:
    """Runs of one simulation, each in a pod of its own.

    Args:
        scenario: the simulation with its load profile.
        pods: where they run.
        resources: with which they end.
        classpath: Gatling with the simulation.
    """

    def __init__(
        self, scenario: Scenario, *, pods: InjectorPods, resources: Resources, classpath: Sequence[Path]
    ) -> None:
        self._scenario = scenario
        self._pods = pods
        self._resources = resources
        self._classpath = classpath

    def start_sliced(self, folder: Path, load: SlicedLoad, *, share: LoadShare = WHOLE) -> PodInjector:
        """See `LoadGenerator`. Raises ClusterError when the cluster refuses."""
        folder.mkdir(parents=True, exist_ok=True)
        plan = plan_document(load, scenario=self._scenario, folder=layout.RUN, share=share)
        entries = dict(_named(self._classpath))
        start = Start(
            simulation=self._scenario.simulation,
            classpath=list(entries),
            inherit=list(self._scenario.inherit),
            heap_bytes=self._scenario.heap_bytes,
            index=share.index,
            of=share.of,
        )
        (folder / layout.PLAN).write_text(json.dumps(plan, allow_nan=False, ensure_ascii=False), encoding="utf-8")
        (folder / layout.START).write_text(start.model_dump_json(), encoding="utf-8")
        files = {name: folder / name for name in (layout.PLAN, layout.START)} | dict(_files(entries))
        return self._started(folder, share, files, beside=any(map(is_loopback, load.urls.values())))

    def start_plain(
        self,
        folder: Path,  # noqa: ARG002  nothing is started, here and below
        *,
        url: str,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        made: Collection[str] = (),  # noqa: ARG002
    ) -> Injector:
        """See `LoadGenerator`. Raises UsageError: the configuration does not let it come to that."""
        raise UsageError(
            "A simulation without Pacecar's kit runs on this machine alone.",
            hint="Leave out target.kubernetes.injectors.",
        )

    def _started(self, folder: Path, share: LoadShare, files: dict[str, Path], *, beside: bool) -> PodInjector:
        connection = Connection(self._pods.place)
        order = InjectorOrder(
            name=f"pacecar-{random.token_hex(4)}-injector",
            # Noted before anything is there, so that whoever sweeps after us finds what has it.
            owner=self._resources.pods_label(connection.place),
            port=random.choice(_PORTS),
            heap_bytes=self._scenario.heap_bytes,
            lives_s=_LIVES_S,
            beside=beside,
            token=new_token(),
            variables={name: os.environ[name] for name in self._scenario.inherit if name in os.environ},
            owned_by=connection.own_pod(),
        )
        try:
            uid = connection.create(pod_of(self._pods, order))
            connection.create(secret_of(order, pod=Owner(kind="Pod", name=order.name, uid=uid)))
        except BaseException:
            with contextlib.suppress(ClusterError), contextlib.closing(connection):
                connection.remove(f"{FORK}={order.name}")
            raise
        sent = SentInjector(name=order.name, uid=uid, port=order.port, token=order.token, files=files)
        return PodInjector(sent, share=share, folder=folder, connection=connection)


def _named(classpath: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Each entry under a name of its own, in order."""
    for number, entry in enumerate(classpath):
        yield f"{number:03d}/{entry.name}", entry


def _files(entries: dict[str, Path]) -> Iterator[tuple[str, Path]]:
    for name, entry in entries.items():
        if entry.is_dir():
            for file in sorted(entry.rglob("*")):
                if file.is_file():
                    yield f"{name}/{file.relative_to(entry).as_posix()}", file
        else:
            yield name, entry
