"""The documents of a manifest: YAML as a cluster takes it, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import yaml

from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.fitness import DRY_RUN
from pacecar.system.foreign import files

_MOST_BYTES = 1 << 20
#: Pairs of all tables, those that are merged into others counted again each time.
_MOST_PAIRS = 300_000
_TAG = "tag:yaml.org,2002:"
#: What a manifest, which becomes JSON, cannot hold.
_NO_JSON = tuple(f"{_TAG}{name}" for name in ("binary", "omap", "pairs", "set", "timestamp"))
#: The library promises one kind of errors, and has more: of a number that is none, of a letter that there is not.
_WRONG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, yaml.YAMLError)


class _Json(yaml.SafeLoader):
    """Makes nothing but what JSON knows: a date is a text. A few bytes merge tables into tables without end."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, Any]]]] = {  # type: ignore[misc]  # the library's own way
        first: [(tag, pattern) for tag, pattern in known if tag not in _NO_JSON]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    _pairs = 0

    def undefined(self, node: yaml.Node) -> None:
        """What has a tag of something else is an error."""
        self.construct_undefined(node)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        self._pairs += len(node.value)
        if self._pairs > _MOST_PAIRS:
            raise yaml.constructor.ConstructorError(
                problem="it merges more than any manifest does", problem_mark=node.start_mark
            )


for _each in _NO_JSON:
    _Json.add_constructor(_each, _Json.undefined)


def documents(path: Path) -> Iterator[Mapping[str, Any]]:
    """The tables in the manifest at `path`, those in lists of Kubernetes' among them.

    Raises:
        ManifestError: when it cannot be read, or is no YAML that becomes JSON.
    """
    try:
        text = files.content(path, most=_MOST_BYTES).decode("utf-8")
        for document in yaml.load_all(text, Loader=_Json):
            if isinstance(document, Mapping):
                items = document.get("items") if document.get("kind") == "List" else [document]
                yield from (each for each in (items if isinstance(items, list) else ()) if isinstance(each, Mapping))
    except OSError as error:
        raise ManifestError(f"The manifest {path} cannot be read: {error.strerror}.") from error
    except _WRONG as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise ManifestError(
            f"The manifest {path}{line} is not YAML: {getattr(error, 'problem', None) or error}.",
            hint=DRY_RUN,
        ) from error
