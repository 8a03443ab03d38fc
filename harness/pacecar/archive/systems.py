"""The few things a store must be able to do, by two libraries: obstore for object stores, fsspec for everything else.

Names are relative to the store's URL. A missing object is FileNotFoundError; every other failure is the library's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from pacecar.archive import StoreError

Option = str | int | bool

#: Protocols that obstore speaks; all others are fsspec's own and its plug-ins'.
_OBJECT_STORES = {"s3", "s3a", "gs", "az", "abfs", "abfss", "adl", "azure"}
_CONNECT = "5s"
_ANSWER = "60s"
_RETRIES = 3
_RETRY_S = 60
_CHUNK = 8 << 20


class System(Protocol):
    """Objects below one URL."""

    def sizes(self, folder: str) -> dict[str, int]:
        """Names of all objects below `folder`, without it, and their bytes."""

    def sizes_between(self, folder: str, after: str, before: str) -> dict[str, int]:
        """The same of those in `folder` itself whose names sort after `after` and before `before`.

        What it takes does not grow with the names before `after`.
        """

    def put_file(self, name: str, file: Path) -> None:
        """Put the content of `file` under `name`."""

    def put(self, name: str, content: bytes) -> None:
        """Put `content` under `name`."""

    def chunks(self, name: str) -> Iterator[bytes]:
        """The object's bytes, piece by piece."""

    def has(self, name: str) -> bool:
        """Whether there is an object of that name."""

    def remove(self, name: str) -> None:
        """Remove the object; a store of objects does not tell whether there was one."""


def system_at(url: str, options: Mapping[str, Option]) -> System:
    """What speaks to the store at `url`.

    Raises:
        StoreError: when that takes a package that is not installed.
    """
    protocol = url.partition("://")[0]
    return _ObjectStore(url, options) if protocol in _OBJECT_STORES else _FileSystem(url, options)


class _ObjectStore:
    """By obstore's blocking calls. Its asynchronous ones, which fsspec would use, abort some processes at their end."""

    def __init__(self, url: str, options: Mapping[str, Option]) -> None:
        try:
            from obstore.exceptions import NotFoundError
            from obstore.store import from_url
        except ImportError as error:
            raise StoreError(
                f"Pacecar's extra for {url.partition('://')[0]}:// is not installed.",
                hint="Install it: pip install 'pacecar[s3]' (in a checkout: pip install '.[s3]')",
            ) from error
        made: Any = from_url  # its overloads know no options that come from a file
        plain = str(options.get("endpoint", "")).startswith("http://")
        self._missing = NotFoundError
        self._store = made(
            url,
            client_options={"connect_timeout": _CONNECT, "timeout": _ANSWER} | ({"allow_http": True} if plain else {}),
            retry_config={"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=_RETRY_S)},
            **options,
        )

    def sizes(self, folder: str) -> dict[str, int]:
        start = len(folder) + 1
        return {each["path"][start:]: each["size"] for page in self._store.list(folder) for each in page}

    def sizes_between(self, folder: str, after: str, before: str) -> dict[str, int]:
        start = len(folder) + 1
        found: dict[str, int] = {}
        # Stores list in the order of names, page by page, and a page that is not asked for is not sent.
        for page in self._store.list(folder, offset=f"{folder}/{after}"):
            for each in page:
                name = each["path"][start:]
                if name >= before:
                    return found
                found[name] = each["size"]
        return found

    def put_file(self, name: str, file: Path) -> None:
        self._store.put(name, file)

    def put(self, name: str, content: bytes) -> None:
        self._store.put(name, content)

    def chunks(self, name: str) -> Iterator[bytes]:
        with self._found():
            for chunk in self._store.get(name).stream(min_chunk_size=_CHUNK):
                yield bytes(chunk)

    def has(self, name: str) -> bool:
        try:
            with self._found():
                self._store.head(name)
        except FileNotFoundError:
            return False
        return True

    def remove(self, name: str) -> None:
        self._store.delete(name)

    @contextlib.contextmanager
    def _found(self) -> Iterator[None]:
        try:
            yield
        except self._missing as error:
            if "NoSuchBucket" in str(error):
                raise
            raise FileNotFoundError(str(error)) from error


class _FileSystem:
    """By fsspec."""

    def __init__(self, url: str, options: Mapping[str, Option]) -> None:
        protocol, _, path = url.partition("://")
        self._path = path
        import fsspec  # for stores that are no folder of this machine alone

        self._system = fsspec.filesystem(protocol, skip_instance_cache=True, use_listings_cache=False, **options)

    def sizes(self, folder: str) -> dict[str, int]:
        root = f"{self._path}/{folder}/".lstrip("/")
        found = self._system.find(self._at(folder), detail=True)
        return {name.lstrip("/").removeprefix(root): each["size"] for name, each in found.items()}

    def sizes_between(self, folder: str, after: str, before: str) -> dict[str, int]:
        # What takes time is to ask for the size of each, so names come first.
        names = (path.rpartition("/")[2] for path in self._system.ls(self._at(folder), detail=False))
        asked = {name: self._system.info(self._at(f"{folder}/{name}")) for name in names if after < name < before}
        return {name: each["size"] for name, each in asked.items() if each["type"] == "file"}

    def put_file(self, name: str, file: Path) -> None:
        self._make_folder(name)
        self._system.put_file(str(file), self._at(name))

    def put(self, name: str, content: bytes) -> None:
        self._make_folder(name)
        self._system.pipe_file(self._at(name), content)

    def chunks(self, name: str) -> Iterator[bytes]:
        with self._system.open(self._at(name), "rb") as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk

    def has(self, name: str) -> bool:
        return bool(self._system.exists(self._at(name)))

    def remove(self, name: str) -> None:
        self._system.rm_file(self._at(name))

    def _make_folder(self, name: str) -> None:
        self._system.makedirs(self._at(name).rpartition("/")[0], exist_ok=True)

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"
