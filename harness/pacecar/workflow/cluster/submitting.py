"""Having a cluster measure a comparison: builds and tools are made here, everything else is the cluster's."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar import __version__
from pacecar.archive import handover
from pacecar.archive.runs import new_run_id
from pacecar.archive.shared import Shared
from pacecar.archive.stores import shared_of
from pacecar.errors import UsageError
from pacecar.integrations import credentials
from pacecar.measurement.deploy.deployers import deployer_of, job_terms_of
from pacecar.measurement.session.equal_builds import same_builds
from pacecar.measurement.session.preparing import Prepared, prepare
from pacecar.measurement.session.request import Request
from pacecar.model.experiment import Experiment
from pacecar.model.recording import RunKind
from pacecar.model.shared_archive import SharedArchive
from pacecar.system.cluster import ClusterError
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.rights import QUEUEING, SUBMITTING, refused_right
from pacecar.system.resources import Resources
from pacecar.workflow.cluster.job import SUBMISSION, JobOrder, job_of, name_of, owner_of, secret_of
from pacecar.workflow.cluster.submission import Submission, folders_of, lay_out, sent_builds, written
from pacecar.workflow.measuring import UNOBSERVED, Observer
from pacecar.workflow.planning import seconds_of

#: A secret holds at most a mebibyte, its keys included.
_MOST_BYTES = 1_000_000
#: What judging a run takes beside the heap of each load generator.
_JUDGING_BYTES = 1536 << 20
#: Cores that a job asks for that sends load, and one that but waits while others do.
_CPU, _CPU_OF_IDLE = "1", "250m"
#: So much longer than planned may everything take, and so long until the pods are there.
_SLOWER, _STARTS_S = 2, 1800
#: What a store's library takes its credentials from, by the protocol of its URL.
_STORE_VARIABLES = {
    "s3": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"),
    "gs": ("GOOGLE_SERVICE_ACCOUNT_KEY",),
    "az": ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_KEY"),
}


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A run that a cluster is to measure: its id, its job and where that is."""

    run_id: str
    job: str
    namespace: str


def submit(request: Request, overrides: Mapping[str, str], observer: Observer = UNOBSERVED) -> Submitted | None:
    """Have the cluster measure `request`.

    Args:
        request: from `requests`; with the id of a run that is in the store, that run goes on.
        overrides: dotted key of the configuration -> value, as `request` was made with.
        observer: told what is made.

    Returns:
        What was started; None where the builds are the same, so that there is nothing to measure.

    Raises:
        UsageError: when it is not for a cluster, or needs what only this machine has.
        ClusterError: when the cluster refuses.
        StoreError: when the store cannot be used.
        PacecarError: when a build fails.
    """
    experiment = request.experiment
    if request.kind is not RunKind.PAIRED:
        raise UsageError("A cluster measures comparisons of two builds only.", hint="Measure here: pacecar resume")
    terms, archive = job_terms_of(experiment.target), _archive(request)
    _require_portable(experiment)
    variables = _variables(experiment, archive)
    with contextlib.closing(Connection(terms.place)) as cluster:
        _require_rights(cluster, queued=terms.queue is not None)
        _require_queue(cluster, terms.queue)
        made = _sent(request, overrides, archive=archive, observer=observer)
        if made is None:
            return None
        order = JobOrder(
            run_id=made.run_id,
            image=terms.image,
            account=terms.account,
            queue=terms.queue,
            node_network=terms.node_network,
            cpu=_CPU if terms.sends_load else _CPU_OF_IDLE,
            memory_bytes=_JUDGING_BYTES + (_heaps_bytes(experiment) if terms.sends_load else 0),
            lives_s=round(_SLOWER * seconds_of(experiment)) + _STARTS_S,
            files={SUBMISSION: written(made), **_files(made, experiment, terms.manifest)},
            variables=variables,
            also=terms.labels,
            pull_secrets=terms.pull_secrets,
        )
        _start(cluster, order)
        return Submitted(run_id=made.run_id, job=order.name, namespace=str(cluster.place.namespace))


def _heaps_bytes(experiment: Experiment) -> int:
    return experiment.scenario.heap_bytes * experiment.scenario.injectors


def _start(cluster: Connection, order: JobOrder) -> None:
    if sum(map(len, order.files.values())) > _MOST_BYTES:
        raise UsageError(
            "Configuration, manifest and patches together are larger than a secret of the cluster may be (1 MiB).",
            hint="Build the patched source yourself, and submit the jar.",
        )
    uid = cluster.create(job_of(order))
    try:
        cluster.create(secret_of(order, job=owner_of(order, uid)))
    except BaseException:
        with contextlib.suppress(ClusterError):
            cluster.remove_job(name_of(order.run_id))
        raise


def _sent(
    request: Request, overrides: Mapping[str, str], *, archive: SharedArchive, observer: Observer
) -> Submission | None:
    """What is told, with its parts in the store; None where the builds are the same."""
    with credentials.withdrawn(), Resources() as resources:
        deployer = deployer_of(request.experiment.target, resources=resources)
        made = prepare(request, deployer=deployer, resources=resources, say=observer.note)
        if request.run_id is None and same_builds(request.experiment, made.artifacts) is not None:
            return None
        shared = shared_of(request.archive, archive)
        assert shared is not None  # there is an archive
        return _put(shared, request, overrides, made=made, archive=archive)


def _put(
    shared: Shared, request: Request, overrides: Mapping[str, str], *, made: Prepared, archive: SharedArchive
) -> Submission:
    run_id = request.run_id or new_run_id()
    config, project = _project(request.experiment, job_terms_of(request.experiment.target).manifest)
    with shared.workshop() as folder:
        tools = lay_out(made.tools, folder / "tools")
        parts = {name: handover.put(shared, each) for name, each in folders_of(made, folder / "tools").items()}
    handover.begin(shared, run_id)
    handover.tidy(shared)
    return Submission(
        run_id=run_id,
        version=__version__,
        config=config,
        project=project,
        options=request.options,
        overrides=dict(overrides),
        repeat=request.repeat,
        archive=archive,
        builds=sent_builds(made, request.experiment.builds),
        tools=tools,
        parts=parts,
    )


def _project(experiment: Experiment, manifest: Path) -> tuple[str, dict[str, str]]:
    """Path of the configuration below a folder that holds the manifest, too, and the key of the secret of each."""
    files = {"config.toml": experiment.config_path.resolve(), "manifest.yaml": manifest.resolve()}
    root = Path(os.path.commonpath([file.parent for file in files.values()]))
    names = {key: file.relative_to(root).as_posix() for key, file in files.items()}
    return names["config.toml"], {name: key for key, name in names.items()}


def _files(made: Submission, experiment: Experiment, manifest: Path) -> dict[str, str]:
    """The files of the project, by their keys."""
    texts = {name: manifest.read_text(encoding="utf-8") for name in made.project}
    texts[made.config] = experiment.config_path.read_text(encoding="utf-8")
    return {made.project[name]: text for name, text in texts.items()}


def _archive(request: Request) -> SharedArchive:
    """The store, which both the cluster and whoever asks can reach."""
    if request.shared is None:
        raise UsageError(
            "A run that a cluster measures comes back through a store, and none is configured.",
            hint='Name one: [archive] url = "s3://bucket/prefix"',
        )
    protocol = request.shared.url.partition("://")[0]
    if protocol not in _STORE_VARIABLES:
        raise UsageError(
            f"A job in a cluster cannot reach {request.shared.url}.",
            hint=f"Name an object store as archive.url: {', '.join(f'{each}://' for each in _STORE_VARIABLES)}.",
        )
    return replace(request.shared, runs=True)


def _require_portable(experiment: Experiment) -> None:
    """Raise UsageError for what a run needs of the machine that it was configured on."""
    target = experiment.target
    lacking = {
        "target.hooks": bool(target.setup or target.once_ready or target.reset),
        "prometheus.targets": experiment.prometheus is not None and experiment.prometheus.targets is not None,
    }
    for key, needed in lacking.items():
        if needed:
            raise UsageError(
                f"{key} is for the machine that measures, and a job in a cluster cannot use this one.",
                hint=f"Leave {key} out, or measure from here: pacecar compare",
            )


def _variables(experiment: Experiment, archive: SharedArchive) -> dict[str, str]:
    """Variables of ours that the job needs: credentials of the store and of servers, secrets of the target.

    Raises:
        UsageError: when a secret of the target is not set.
    """
    for name in experiment.target.secrets.values():
        if name not in os.environ:
            raise UsageError(f"target.secrets names {name}, which is not set.", hint=f"export {name}=…")
    names = (
        *_STORE_VARIABLES[archive.url.partition("://")[0]],
        *credentials.variables(),
        *experiment.target.secrets.values(),
    )
    return {name: os.environ[name] for name in names if name in os.environ}


def _require_queue(cluster: Connection, name: str | None) -> None:
    if name is not None and not cluster.has_queue(name):
        namespace = cluster.place.namespace
        raise ClusterError(
            f"The namespace {namespace} has no queue {name}, which target.kubernetes.queue names.",
            hint=f"See those it has: kubectl get localqueues --namespace {namespace}; "
            "with Kueue 0.15 or later, an admin makes one: pacecar cluster manifest --at-once 2",
        )


def _require_rights(cluster: Connection, *, queued: bool) -> None:
    needed = SUBMITTING | QUEUEING if queued else SUBMITTING
    for resource, verbs in needed.items():
        for verb in verbs:
            if not cluster.may(verb, resource):
                raise refused_right(verb, resource, namespace=str(cluster.place.namespace))
