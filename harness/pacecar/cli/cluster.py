"""Commands for who runs a cluster: cluster manifest."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from pacecar.cli.printing import say
from pacecar.errors import UsageError
from pacecar.inputs.config.suggestion import quoted
from pacecar.onboarding.cluster_manifest import cluster_manifest

app = typer.Typer(no_args_is_help=True, help="What a Kubernetes cluster needs for comparisons.")

#: RFC 1123, as the API reads the names of namespaces.
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@app.callback()
def cluster() -> None:
    """What a Kubernetes cluster needs for comparisons."""


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
