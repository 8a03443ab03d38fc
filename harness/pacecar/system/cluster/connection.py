"""One namespace of one cluster: objects made, read and removed there."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacecar.system.cluster import ClusterError, jobs, queues
from pacecar.system.cluster.errors import cluster_errors, configured, plain
from pacecar.system.cluster.jobs import JobState
from pacecar.system.cluster.place import Owner, Place
from pacecar.system.cluster.pods import PodState, state_of

if TYPE_CHECKING:
    from lightkube import Client
    from lightkube.config.kubeconfig import SingleConfig

_POLL_S = 0.2
_MOST_LOG = 16 << 20
#: Seconds that a service gets to end by itself.
_GRACE_S = 2
_MISSING = 404
#: In a pod whose host name is not its own, for it has the network of its node: what it is called.
POD_NAME = "PACECAR_POD_NAME"
#: In a pod, the namespace that it is in.
_OWN_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")


class Connection:
    """Reaches a namespace. May be used by several threads.

    Args:
        place: where.

    Raises:
        ClusterError: when there is no such context, or the library is not installed.
    """

    def __init__(self, place: Place) -> None:
        try:
            import lightkube
        except ImportError as error:
            raise ClusterError(
                "Pacecar's extra for Kubernetes is not installed.",
                hint="Install it: pip install 'pacecar[kubernetes]' (in a checkout: pip install '.[kubernetes]')",
            ) from error
        with configured(place.kubeconfig or os.environ.get("KUBECONFIG")):
            config = _config(place)
            self._client: Client = lightkube.Client(config=config, namespace=place.namespace or config.namespace)
            _settle_credentials(self._client, config)
        #: What is needed to come back here from another process.
        self.place = Place(
            kubeconfig=None if config.fname is None else Path(config.fname).absolute(),
            context=config.context_name,
            namespace=str(self._client.namespace),
        )

    def may(self, verb: str, resource: str) -> bool:
        """Whether this account may do `verb` with `resource` ("pods/log", "jobs.batch") here. Raises ClusterError."""
        from lightkube.models.authorization_v1 import ResourceAttributes, SelfSubjectAccessReviewSpec
        from lightkube.resources.authorization_v1 import SelfSubjectAccessReview

        whole, _, part = resource.partition("/")
        name, _, group = whole.partition(".")
        asked = ResourceAttributes(
            namespace=self.place.namespace, verb=verb, group=group or None, resource=name, subresource=part or None
        )
        with cluster_errors(f"say what this account may do in {self.place.namespace}"):
            review = self._client.create(
                SelfSubjectAccessReview(spec=SelfSubjectAccessReviewSpec(resourceAttributes=asked))
            )
        return bool(review.status and review.status.allowed)

    @property
    def server(self) -> str:
        """Address of the API."""
        return str(self._client.config.cluster.server)

    def own_pod(self) -> Owner | None:
        """The pod that we run in, where that is in this namespace; None elsewhere. Raises ClusterError."""
        from lightkube.resources.core_v1 import Pod

        try:
            ours = _OWN_NAMESPACE.read_text().strip() == self.place.namespace
        except OSError:
            return None
        name = os.environ.get(POD_NAME) or socket.gethostname()
        with cluster_errors(f"read pod {name}"), _nothing() as found:
            if ours:
                found.append(self._client.get(Pod, name))
        return Owner(kind="Pod", name=name, uid=str(found[0].metadata.uid)) if found else None

    def remove_older(self, label: str, *, than_s: float) -> list[str]:
        """Remove everything of ours that has the label `label`, whatever its value, and is older.

        Returns:
            What was removed, one line each.

        Raises:
            ClusterError: when the cluster cannot be reached, or refuses.
        """
        from lightkube import operators

        removed = []
        for kind in _kinds():
            named = kind.__name__.lower()
            with cluster_errors(f"remove {named}s"):
                for each in self._client.list(kind, labels={label: operators.exists()}):
                    if (datetime.now(UTC) - each.metadata.creationTimestamp).total_seconds() > than_s:
                        removed.append(f"removed {named} {each.metadata.name}")
                        with _nothing():
                            self._client.delete(kind, str(each.metadata.name), grace_period=_GRACE_S)
        return removed

    def create(self, document: Mapping[str, Any]) -> str:
        """Make the object that `document` describes, as a manifest does; returns its uid. Raises ClusterError."""
        from lightkube import codecs

        what = f"create {str(document['kind']).lower()} {document['metadata']['name']}"
        with cluster_errors(what):
            made: Any = self._client.create(codecs.from_dict(dict(document)))
        return str(made.metadata.uid)

    def pod(self, name: str) -> PodState | None:
        """The pod now; None when it is gone. Raises ClusterError."""
        from lightkube.resources.core_v1 import Pod

        with cluster_errors(f"read pod {name}"), _nothing() as found:
            found.append(state_of(self._client.get(Pod, name)))
        return found[0] if found else None

    def newest_pod(self, label: str) -> PodState | None:
        """The pod that was made last of those with `label`, a `key=value`; None without one. Raises ClusterError."""
        from lightkube.resources.core_v1 import Pod

        key, _, value = label.partition("=")
        with cluster_errors("list pods"):
            found = list(self._client.list(Pod, labels={key: value}))
        found.sort(key=lambda each: str(each.metadata.creationTimestamp) if each.metadata is not None else "")
        return state_of(found[-1]) if found else None

    def job(self, name: str) -> JobState | None:
        """The job now; None when it is gone. Raises ClusterError."""
        from lightkube.resources.batch_v1 import Job

        with cluster_errors(f"read job {name}"), _nothing() as found:
            found.append(jobs.state_of(self._client.get(Job, name)))
        return found[0] if found else None

    def has_queue(self, name: str) -> bool:
        """Whether there is a queue of Kueue of this name here; False also without Kueue. Raises ClusterError."""
        with cluster_errors(f"read queue {name}"), _nothing() as found:
            found.append(self._client.get(queues.local_queue(), name))
        return bool(found)

    def held_back(self, job: JobState) -> str | None:
        """What Kueue says of a job that it has not let begin yet; None for nothing, or where it may not be asked."""
        found: list[Any] = []
        with contextlib.suppress(ClusterError), cluster_errors("list workloads"):
            found = list(self._client.list(queues.workload(), labels={queues.JOB_UID: str(job.uid)}))
        return next(filter(None, map(queues.why_not_yet, found)), None)

    def complaint(self, name: str) -> str | None:
        """What the cluster has warned of last about the object called `name`; None for nothing. Raises ClusterError."""
        from lightkube.resources.core_v1 import Event

        asked: dict[str, Any] = {"involvedObject.name": name, "type": "Warning"}
        with cluster_errors("list events"):
            found = list(self._client.list(Event, fields=asked))
        found.sort(key=lambda each: str(each.lastTimestamp or each.eventTime))
        return plain(found[-1].message) or None if found else None

    def remove_job(self, name: str, *, patience_s: float = 90.0) -> bool:
        """Remove a job and its pods; returns when they are gone. False when there was none.

        Raises:
            ClusterError: when the cluster refuses, or keeps it.
        """
        from lightkube.resources.batch_v1 import Job
        from lightkube.types import CascadeType

        if self.job(name) is None:
            return False
        deadline = time.monotonic() + patience_s
        with cluster_errors(f"remove job {name}"), _nothing():
            self._client.delete(Job, name, cascade=CascadeType.FOREGROUND)
        while self.job(name) is not None:
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"The cluster did not remove job {name}.",
                    hint=f"See why: kubectl describe job {name} --namespace {self.place.namespace}",
                )
            time.sleep(_POLL_S)
        return True

    def lines(self, pod: str, container: str, *, since_s: int) -> Iterator[tuple[str, str]]:
        """What a container of a pod has printed in the last seconds, each line with its time (RFC 3339, UTC).

        Nothing while the cluster is silent, or where it does not keep it.
        """
        size = 0
        with contextlib.suppress(ClusterError), cluster_errors(f"read the log of {pod}"):
            printed = self._client.log(pod, container=container, since=since_s, timestamps=True, newlines=False)
            for line in printed:
                size += len(line)
                if size > _MOST_LOG:
                    return
                at, _, text = line.partition(" ")
                yield at, text

    def last_lines(self, pod: str, container: str, *, lines: int) -> str:
        """What a container of a pod printed last; "" when that is not known."""
        printed: list[str] = []
        size = 0
        with contextlib.suppress(ClusterError), cluster_errors(f"read the log of {pod}"):
            for line in self._client.log(pod, container=container, tail_lines=lines):
                size += len(line)
                if size > _MOST_LOG:
                    break
                printed.append(line)
        return "".join(printed)

    def owned(self, label: str) -> list[str]:
        """`kind name` of everything of ours here that has `label`, a `key=value`. Raises ClusterError."""
        key, _, value = label.partition("=")
        found = []
        for kind in _kinds():
            with cluster_errors(f"list {kind.__name__.lower()}s"):
                listed = self._client.list(kind, labels={key: value})
                found += [f"{kind.__name__.lower()} {each.metadata.name}" for each in listed if each.metadata]
        return found

    def remove(self, label: str, *, patience_s: float = 60.0) -> list[str]:
        """Remove everything of ours that has `label`, a `key=value`; returns when all is gone.

        Returns:
            What was removed, one line each.

        Raises:
            ClusterError: when the cluster cannot be reached, or keeps something.
        """
        key, _, value = label.partition("=")
        removed: dict[str, None] = {}
        deadline = time.monotonic() + patience_s
        while found := self.owned(label):
            removed |= dict.fromkeys(found)
            for kind in _kinds():
                with cluster_errors(f"remove {kind.__name__.lower()}s"):
                    for each in self._client.list(kind, labels={key: value}):
                        if each.metadata is not None and each.metadata.deletionTimestamp is None:
                            with _nothing():
                                self._client.delete(kind, str(each.metadata.name), grace_period=_GRACE_S)
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"The cluster did not remove {' and '.join(found[:3])}.",
                    hint=f"See them: kubectl get pods,secrets --namespace {self.place.namespace} --selector {label}",
                )
            time.sleep(_POLL_S)
        return [f"removed {each}" for each in removed]

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()


def _config(place: Place) -> SingleConfig:
    from lightkube.config.kubeconfig import KubeConfig

    found = KubeConfig.from_file(place.kubeconfig) if place.kubeconfig is not None else KubeConfig.from_env()
    # The account of a pod knows its own cluster alone, whatever that is called elsewhere.
    config = found.get(place.context if found.fname is not None else None)
    assert config is not None  # without a default it raises
    return config


def _settle_credentials(client: Client, config: SingleConfig) -> None:
    """Have `client` ask the program that hands out credentials as we do; it has no door for that."""
    user = config.user
    if user is not None and user.exec is not None and user.token is None and user.token_file is None:
        from pacecar.system.cluster.credentials import HandedOut

        client._client._client.auth = HandedOut(config)


def _kinds() -> tuple[type[Any], ...]:
    """Kinds of objects that may be ours, in the order in which they go."""
    from lightkube.resources.core_v1 import Pod, Secret

    return (Pod, Secret)


@contextlib.contextmanager
def _nothing() -> Iterator[list[Any]]:
    """What was asked for may be gone already, or be of a kind that this cluster does not know."""
    import httpx2
    from lightkube.core.exceptions import ApiError

    found: list[Any] = []
    try:
        yield found
    except ApiError as error:
        if error.status.code != _MISSING:
            raise
    except httpx2.HTTPStatusError as error:  # of an unknown kind there is no answer in JSON
        if error.response.status_code != _MISSING:
            raise
