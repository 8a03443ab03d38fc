"""Commands about a cluster: cluster manifest, cluster clean, cluster cancel; in a job, cluster conduct."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Annotated

import typer

from pacecar.cli.options import ConfigOption
from pacecar.cli.printing import say
from pacecar.errors import UsageError
from pacecar.inputs.config.suggestion import quoted
from pacecar.onboarding.cluster_manifest import cluster_manifest
from pacecar.system.cluster import OWNER
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Place
from pacecar.text.units import parse_duration_s

app = typer.Typer(no_args_is_help=True, help="What a Kubernetes cluster needs for comparisons.")

#: RFC 1123, as the API reads the names of namespaces.
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@app.callback()
def cluster() -> None:
    """What a Kubernetes cluster needs for comparisons."""


@app.command()
def clean(
    older_than: Annotated[
        str,
        typer.Option("--older-than", metavar="AGE", help="Only what is older than this; pods live for at most 2h."),
    ] = "2h",
    namespace: Annotated[str | None, typer.Option("--namespace", help="By default the context's.")] = None,
    context: Annotated[str | None, typer.Option("--context", help="Of kubectl; by default the current one.")] = None,
) -> int:
    """Remove pods and secrets that were left in a cluster, no matter whose they are."""
    try:
        seconds = parse_duration_s(older_than)
    except ValueError as error:
        raise UsageError(f"--older-than: {error}.", hint="pacecar cluster clean --older-than 3h") from error
    with contextlib.closing(Connection(Place(context=context, namespace=namespace))) as connection:
        done = connection.remove_older(OWNER, than_s=seconds)
        say("\n".join(done) or f"nothing older than {older_than} is left in {connection.place.namespace}")
    return 0


@app.command()
def cancel(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The id that `pacecar submit` has printed.")],
    config_path: ConfigOption = Path("pacecar.toml"),
) -> int:
    """End the job of a submitted run; complete pairs stay in the store."""
    from pacecar.workflow.cluster import following  # loads what measures

    gone = following.cancel(run_id, config_path)
    say(f"the job of run {run_id} is gone" if gone else f"no job measures run {run_id}")
    return 0


@app.command(hidden=True)
def conduct() -> int:
    """Measure what was submitted, in the job that a cluster runs for it."""
    from pacecar.cli.live import Live
    from pacecar.workflow.cluster.conducting import conduct as conducted
    from pacecar.workflow.cluster.job import ORDER, WORK

    with Live() as live:
        document = conducted(Path(ORDER), Path(WORK), live)
    if document is not None:
        say(document.headline)
    return 0


@app.command()
def manifest(
    namespace: Annotated[str, typer.Option("--namespace", help="Where pods are made.")] = "pacecar",
    at_once: Annotated[
        int | None,
        typer.Option("--at-once", metavar="N", min=1, max=1000, help="With a Kueue queue for N runs at once."),
    ] = None,
) -> int:
    """Print what an admin applies once: a namespace, an account with few rights, a quota and a network policy."""
    if _NAMESPACE.fullmatch(namespace) is None:
        raise UsageError(
            f"--namespace: {quoted(namespace)} is not the name of a namespace.",
            hint="Use lowercase letters, digits and hyphens, 63 at most.",
        )
    say(cluster_manifest(namespace, at_once=at_once).rstrip())
    return 0
