"""What a pod may not be that a fork is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pacecar.measurement.deploy.kubernetes import ManifestError

DRY_RUN = "kubectl apply --dry-run=server -f says what the cluster makes of it."
_MOST_NODES = 20_000
#: The API takes no object of three mebibytes.
_MOST_CHARACTERS = 3 << 20
_NAMESPACES = ("hostPID", "hostIPC")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_LISTS, _TABLES = (*_CONTAINERS, "volumes", "imagePullSecrets"), ("securityContext", "affinity", "nodeSelector")

Spec = dict[str, Any]


def require_fit(spec: Spec, where: str) -> None:
    """Raise ManifestError where `spec`, of the pod called `where`, has another shape than the API takes, or shares more
    with its node than a network.
    """
    _require_shape(spec, where)
    _refuse(spec, where)


def mapping(found: Any) -> Mapping[str, Any]:
    """`found` where it is a table, else an empty one."""
    return found if isinstance(found, Mapping) else {}


def text(found: Any) -> str:
    """`found` as a text where it is one, a number or a flag, else ""."""
    return str(found) if isinstance(found, str | int | float) else ""


def _require_shape(spec: Spec, where: str) -> None:
    """What is looked into is what the API would take for it, and no file becomes larger than it is by its aliases."""
    if not _fits(spec):
        raise ManifestError(f"{where} holds more than {_MOST_NODES:,} values, or itself.", hint=DRY_RUN)
    _require_kinds(spec, f"{where}: spec.", lists=_LISTS, tables=_TABLES)
    for container in _all_containers(spec):
        if not isinstance(container.get("name"), str):
            raise ManifestError(f"{where} has a container without a name.", hint=DRY_RUN)
        inside = f"{where}: container {container['name']}: "
        _require_kinds(
            container, inside, lists=("env", "volumeMounts", "ports"), tables=("securityContext", "resources")
        )
        _require_kinds(container.get("resources") or {}, f"{inside}resources.", lists=(), tables=("requests", "limits"))


def _require_kinds(table: Spec, where: str, *, lists: Sequence[str], tables: Sequence[str]) -> None:
    """Raise ManifestError where a key of `table` is neither missing nor what it must be: a list of tables, or one."""
    for name in lists:
        found = table.get(name)
        if not isinstance(found, list | None):
            raise ManifestError(f"{where}{name} is not a list.", hint=DRY_RUN)
        for at, each in enumerate(found or ()):
            if not isinstance(each, dict):
                raise ManifestError(f"{where}{name}[{at}] is not a table.", hint=DRY_RUN)
    for name in tables:
        if not isinstance(table.get(name), dict | None):
            raise ManifestError(f"{where}{name} is not a table.", hint=DRY_RUN)


def _fits(spec: Spec) -> bool:
    left, nodes, characters = [spec], 0, 0
    while left and nodes <= _MOST_NODES and characters <= _MOST_CHARACTERS:
        each: Any = left.pop()
        nodes += 1
        if isinstance(each, Mapping):
            characters += sum(len(text(key)) for key in each)
            left += each.values()
        elif isinstance(each, list):
            left += each
        else:
            characters += len(text(each))
    return nodes <= _MOST_NODES and characters <= _MOST_CHARACTERS


def _refuse(spec: Spec, where: str) -> None:
    for key in _NAMESPACES:
        if spec.get(key):
            raise ManifestError(f"{where} sets {key}, so it would see what runs beside it.", hint=f"Leave out {key}.")
    for volume in spec.get("volumes") or ():
        if "hostPath" in volume:
            path = mapping(volume["hostPath"]).get("path")
            raise ManifestError(
                f"{where} mounts the node's folder {path!r}, which both forks would share.",
                hint="Use emptyDir, which is fresh for every fork.",
            )
        if "persistentVolumeClaim" in volume:
            claim = mapping(volume["persistentVolumeClaim"]).get("claimName")
            raise ManifestError(
                f"{where} mounts the volume of the claim {claim!r}, which both forks would share.",
                hint="Use emptyDir or an ephemeral volume, which is fresh for every fork.",
            )
    for container in _all_containers(spec):
        if (container.get("securityContext") or {}).get("privileged"):
            raise ManifestError(f"{where} runs {container.get('name')} privileged.", hint="Leave out privileged.")


def _all_containers(spec: Spec) -> Iterator[Spec]:
    for key in _CONTAINERS:
        yield from spec.get(key) or ()
