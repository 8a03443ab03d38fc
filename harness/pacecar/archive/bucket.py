"""Whole objects by name, anywhere that fsspec reaches: an object store, or a folder that machines share.

An object is put once and never changed. Object stores put atomically; on file systems of this machine we do, by
`durable`; everywhere else a reader tells an object in the making by its size, which stands in its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pacecar.archive import ObjectGone, RunError, StoreError
from pacecar.archive.systems import Option, system_at
from pacecar.errors import PacecarError
from pacecar.system.disk import durable, room_for
from pacecar.system.disk.leftovers import remove_leftovers
from pacecar.system.disk.parts import SUFFIX
from pacecar.system.foreign import files

_LOCAL = {"file", "local"}
#: What a refusal is called by the stores themselves or by the libraries before them.
_REFUSALS = (
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "InvalidToken",
    "ExpiredToken",
    "Forbidden",
    "Unauthorized",
    "PermissionDenied",
    "Unauthenticated",
    "access key ID",
)
_LONGEST = 200
_CHUNK = 8 << 20
_MACHINE_ROLES = "169.254.169.254"
_CREDENTIALS = "They come from the environment: for s3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role."
_CAUSE = re.compile(r'<Message>([^<\n]{1,150})</Message>|message: "([^"\n]{1,100})"')


class Bucket:
    """A place for objects, named by a URL of fsspec.

    Args:
        url: such as `s3://bucket/prefix` or `file:///srv/pacecar`. Holds no credentials: those come from the
            environment.
        options: of the store, such as its endpoint.

    Raises:
        StoreError: when nothing here speaks the protocol, or an option is unknown.
    """

    def __init__(self, url: str, options: Mapping[str, Option]) -> None:
        self.url = url.rstrip("/")
        protocol, _, path = self.url.partition("://")
        self._local = Path("/" + path.lstrip("/")) if protocol in _LOCAL else None
        with self._told():
            self._system = system_at(f"file://{self._local}" if self._local else self.url, options)

    def names(self, folder: str) -> dict[str, int]:
        """The names of the objects in `folder`, without it, and their sizes in bytes."""
        return {name: size for name, size in self._sizes(folder).items() if "/" not in name}

    def names_between(self, folder: str, after: str, before: str) -> dict[str, int]:
        """The same of those whose names sort after `after` and before `before`, however many there are before them."""
        with self._told():
            try:
                found = self._system.sizes_between(folder, after, before)
            except FileNotFoundError:
                return {}
        return {name: size for name, size in found.items() if "/" not in name}

    def names_below(self, folder: str) -> dict[tuple[str, str], int]:
        """Folder and name of the objects in the folders of `folder`, and their sizes in bytes."""
        parted = ((name.split("/"), size) for name, size in self._sizes(folder).items())
        return {(parts[0], parts[1]): size for parts, size in parted if len(parts) == 2}

    def put_file(self, name: str, file: Path) -> None:
        """Put the content of `file` under `name`, whole or not at all.

        Raises:
            NoRoom: when a store on this machine has no room.
        """
        with self._told():
            if self._local:
                durable.copy_file(file, self._local / name)
            else:
                self._system.put_file(name, file)

    def put(self, name: str, content: bytes) -> None:
        """Put `content` under `name`, as `put_file` does."""
        with self._told():
            if self._local:
                with room_for(self._local / name):
                    (self._local / name).parent.mkdir(parents=True, exist_ok=True)
                durable.write_bytes(self._local / name, content)
            else:
                self._system.put(name, content)

    def content(self, name: str, *, most: int) -> bytes:
        """The bytes of the object `name`. Raises ObjectGone, or RunError when it holds more than `most`."""
        return b"".join(self._chunks(name, most=most))

    def download(self, name: str, file: Path, *, size: int) -> str:
        """Write the object `name`, of `size` bytes, into the new file `file`. Returns its SHA-256 in hex.

        Raises:
            RunError: when it is gone or of another size.
            NoRoom: when there is no room here.
        """
        digest, written = hashlib.sha256(), 0
        with room_for(file), file.open("xb") as out:
            for chunk in self._chunks(name, most=size):
                digest.update(chunk)
                written += out.write(chunk)
        if written != size:
            raise RunError(f"{self.url}/{name} is cut short: {written} of {size} bytes.")
        return digest.hexdigest()

    def has(self, name: str) -> bool:
        """Whether there is an object of that name."""
        with self._told():
            return self._system.has(name)

    def remove(self, name: str) -> bool:
        """Remove the object `name`. False when it was gone already, where the store tells."""
        with self._told():
            try:
                self._system.remove(name)
            except FileNotFoundError:
                return False
        return True

    def clear_leftovers(self) -> None:
        """Where objects are files of this machine: remove what writers left that were killed."""
        if self._local:
            remove_leftovers(self._local.rglob(f".*{SUFFIX}"))

    def _chunks(self, name: str, *, most: int) -> Iterator[bytes]:
        left = most
        try:
            with self._told():
                for chunk in (
                    _local_chunks(self._local / name, inside=self._local, url=f"{self.url}/{name}", most=most)
                    if self._local
                    else self._system.chunks(name)
                ):
                    left -= len(chunk)
                    if left < 0:
                        raise RunError(f"{self.url}/{name} is larger than {most} bytes, so it is not one of ours.")
                    yield bytes(chunk)
        except FileNotFoundError as error:
            raise ObjectGone(f"{self.url}/{name} is gone.", hint="List the runs: pacecar runs list") from error

    def _sizes(self, folder: str) -> dict[str, int]:
        with self._told():
            try:
                return self._system.sizes(folder)
            except FileNotFoundError:
                return {}

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever the library or the store complains of, as one sentence. A missing object stays FileNotFoundError."""
        try:
            yield
        except PacecarError:
            raise
        except Exception as error:  # every store has exceptions of its own
            said = f"{type(error).__name__} {error}"
            if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in said:
                raise
            raise _sentence(self.url, error, said) from error


def _local_chunks(path: Path, *, inside: Path, url: str, most: int) -> Iterator[bytes]:
    # On this machine anything may have the name of an object: a pipe, a device, a link.
    try:
        with files.opened(path, most=most, inside=inside) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except (files.Unfit, IsADirectoryError) as error:
        raise RunError(f"{url} cannot be read: {error.strerror}.") from error


def _sentence(url: str, error: Exception, said: str) -> StoreError:
    if isinstance(error, ImportError):
        return StoreError(f"{url} cannot be used: {_short(error)}.", hint="Install the package it names.")
    if _MACHINE_ROLES in said:
        # Asked when the environment holds no credentials: on a machine of the cloud they would come from there.
        return StoreError(f"There are no credentials for {url}.", hint=_CREDENTIALS)
    if "NoSuchBucket" in said:
        return StoreError(f"There is no bucket at {url}.", hint="Make it, or correct archive.url in pacecar.toml.")
    if isinstance(error, PermissionError) or any(word in said for word in _REFUSALS):
        return StoreError(f"{url} refuses these credentials.", hint=_CREDENTIALS)
    if isinstance(error, ValueError | TypeError) or "UnknownConfiguration" in said:
        return StoreError(f"{url} cannot be used: {_short(error)}.", hint="See archive.url and archive.options.")
    return StoreError(
        f"{url} cannot be reached: {_short(error)}.",
        hint="Check archive.url, its options, and that the store is up. What was measured is safe in .pacecar.",
    )


def _short(error: Exception) -> str:
    # Libraries tell the whole story of a request; what a person wants is its end.
    cause = _CAUSE.search(str(error))
    first = (str(error).splitlines() or [""])[0].rpartition(" - ")[2]
    line = ((cause[1] or cause[2]) if cause else first).strip().rstrip(".")
    plain = "".join(letter if letter.isprintable() else "?" for letter in line or type(error).__name__)
    return plain if len(plain) <= _LONGEST else plain[:_LONGEST] + "…"
