"""Image archives, written without an engine: a layer is a tar file, and JSON describes it."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any


@dataclass(frozen=True, kw_only=True)
class Image:
    """A name with its tag, layers from the lowest up, and how a container of it starts, in OCI's words."""

    name: str
    layers: Sequence[Path]
    config: Mapping[str, Any] = field(default_factory=dict)

    def write(self, stream: IO[bytes]) -> None:
        """Write it as `docker save` does."""
        layers = {f"{digest(layer)}.tar": layer for layer in self.layers}
        described = {
            "architecture": "amd64",
            "os": "linux",
            "config": dict(self.config),
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{name.removesuffix('.tar')}" for name in layers]},
        }
        config = json.dumps(described).encode()
        named = f"{hashlib.sha256(config).hexdigest()}.json"
        manifest = [{"Config": named, "RepoTags": [self.name], "Layers": list(layers)}]
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            for name, layer in layers.items():
                archive.add(layer, arcname=name, filter=_nobodys)
            add(archive, named, config)
            add(archive, "manifest.json", json.dumps(manifest).encode())


def image_archive(path: Path, image: Image) -> Path:
    """Write `image` to a file."""
    with path.open("wb") as file:
        image.write(file)
    return path


def layer(path: Path, files: Mapping[str, Path | bytes]) -> Path:
    """A layer that holds each file, or everything in a folder, under the path it is named with."""
    with tarfile.open(path, "w") as archive:
        for name, content in sorted(files.items(), key=lambda each: each[0]):
            if isinstance(content, bytes):
                add(archive, name, content)
            else:
                for inner, file in _files(name, content):
                    archive.add(file, arcname=inner, recursive=False, filter=_nobodys)
    return path


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    """A file of which nobody but root may do more than read it."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o644
    archive.addfile(entry, io.BytesIO(content))


def digest(path: Path) -> str:
    """SHA-256 of a file; kept beside it, because layers are large and are imported often."""
    kept = path.with_suffix(".sha256")
    if not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime:
        with path.open("rb") as file:
            kept.write_text(hashlib.file_digest(file, "sha256").hexdigest())
    return kept.read_text()


def _files(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    yield name, path
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            yield f"{name}/{inner.relative_to(path)}", inner


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same whoever made it, for everybody to read."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry
