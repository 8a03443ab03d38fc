"""Commands about a cluster: cluster manifest, cluster clean."""

from __future__ import annotations

import contextlib
import re
from typing import Annotated

import typer

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
        typer.Option("--older-than", metavar="AGE", help="Only what is older, such as 3h; no pod lives for longer."),
    ] = "2h",
    namespace: Annotated[str | None, typer.Option("--namespace", help="Where; else as the context says.")] = None,
    context: Annotated[str | None, typer.Option("--context", help="Of kubectl; else the current one.")] = None,
) -> int:
    """Remove pods and secrets that were left in a cluster, whoever's they are."""
    try:
        seconds = parse_duration_s(older_than)
    except ValueError as error:
        raise UsageError(f"--older-than: {error}.", hint="pacecar cluster clean --older-than 3h") from error
    with contextlib.closing(Connection(Place(context=context, namespace=namespace))) as connection:
        done = connection.remove_older(OWNER, than_s=seconds)
        say("\n".join(done) or f"nothing older than {older_than} is left in {connection.place.namespace}")
    return 0


@app.command()
def manifest(
    namespace: Annotated[str, typer.Option("--namespace", help="Where pods are to be made.")] = "pacecar",
) -> int:
    """Print what an admin applies once: a namespace, an account with few rights, a quota and a network policy."""
    if _NAMESPACE.fullmatch(namespace) is None:
        raise UsageError(
            f"--namespace: {quoted(namespace)} is not the name of a namespace.",
            hint="Use lower-case letters, digits and hyphens, 63 at most.",
        )
    say(cluster_manifest(namespace).rstrip())
    return 0
