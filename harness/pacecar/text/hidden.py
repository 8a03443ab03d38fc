"""What must not be kept or shown: values of environment variables, and what arguments, addresses and logs give away.

Whether a value is hidden is decided by the key it stands at, not by what it looks like: in tables of variables, headers
and properties every value is (`config.kept`); among arguments those whose name says that they are credentials, as in
`-Ddb.password=…`. What was said to be a secret, under `target.secrets` or by such a name, is also struck out of logs,
tables and messages: there others repeat it, under any name or none.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, quote_plus, unquote

from pacecar.errors import PacecarError

#: Stands where something was hidden.
MARK = "***"

#: A name one part of which is such a word: `api-key`, `NPM_TOKEN`, `basic.auth`; some words count anywhere.
_NAME = re.compile(
    r"passw(?:or)?d|passphrase|(?:require|master|store|key)pass|secret|credential"
    r"|(?:^|[._-])(?:pass|pwd|token|auth|authorization|api[._-]?key|access[._-]?key|private[._-]?key)(?:$|[._-])"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: `name=`, `name: ` and, in JSON, `"name": `.
_SIGNED = re.compile(r"((?:-D)?[A-Za-z_][\w.\-]{0,127})(?:=|[\"']?\s?:\s?)")
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|(?:(?i:bearer|basic|token)\s+)?[^\s\"',;&\]}]+")
_SCHEME = re.compile(r"(?P<scheme>(?i:bearer|basic|token))\s+(?P<value>.+)", re.DOTALL)
_OPTION = re.compile(r"--?[A-Za-z][\w.\-]{0,127}")
_USERINFO = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]{0,30}://)(?P<user>[^\s/@]{1,400})@")
#: How programs on this machine write text; class files, heaps and recordings of a JVM hold the last two as well.
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
#: Characters. Anything shorter is likely to occur by chance, and striking it out would damage what is kept.
SHORTEST = 6
#: Of a file, read at a time.
_PIECE_BYTES = 8 << 20
#: In base64 the first characters of something depend on what stands before it: so many, by its bytes modulo 3.
_SHARED = (0, 2, 3)
_URL_SAFE = str.maketrans("+/", "-_")
#: A user without a password is a token when it is at least so long, else a name.
_SHORTEST_TOKEN = 16


def is_credential(name: str) -> bool:
    """Whether `name`, of a variable, a property or an option, says that its value is a credential."""
    return _NAME.search(_CAMEL.sub(".", name.removeprefix("-D").strip("-")).lower()) is not None


def text(value: str) -> str:
    """`value` without credentials in addresses, in headers, and in anything of the form `password=…`."""
    value = _USERINFO.sub(lambda match: f"{match['scheme']}{MARK}@", value)
    kept, position = [], 0
    for start, end in _signed(value):
        kept += [value[position:start], MARK]
        position = end
    return "".join((*kept, value[position:]))


def within(value: str) -> Iterator[str]:
    """The credentials that `text` takes out of `value`; of addresses and headers the secret part alone."""
    for match in _USERINFO.finditer(value):
        user, sign, password = match["user"].partition(":")
        if sign:
            yield password
        elif len(user) >= _SHORTEST_TOKEN:
            yield user
    for start, end in _signed(value):
        yield from _bare(value[start:end].strip("\"'"))


def arguments(given: Iterable[str]) -> tuple[str, ...]:
    """Arguments without credentials: `-Ddb.password=x`, `--token=x`, `--token x`, `jdbc:…?password=x`."""
    shown: list[str] = []
    follows = False
    for argument in given:
        shown.append(MARK if follows and not _OPTION.fullmatch(argument) else _argument(argument))
        follows = _OPTION.fullmatch(argument) is not None and is_credential(argument)
    return tuple(shown)


def values(variables: Mapping[str, str]) -> dict[str, str]:
    """The names of `variables`, each with a mark for its value."""
    return dict.fromkeys(variables, MARK)


def among(given: Iterable[str]) -> Iterator[str]:
    """The credentials that `arguments` takes out of arguments."""
    follows = False
    for argument in given:
        option = _OPTION.fullmatch(argument) is not None
        name, sign, value = argument.partition("=")
        if follows and not option:
            yield argument
        elif sign and is_credential(name):
            yield value
        yield from within(argument)
        follows = option and is_credential(argument)


def in_variables(variables: Mapping[str, str]) -> Iterator[str]:
    """The values of variables whose name says that they are credentials, and credentials within the others."""
    for name, value in variables.items():
        yield from _bare(value) if is_credential(name) else within(value)


@dataclass(frozen=True)
class Struck:
    """Known secrets, to be struck out of what others wrote.

    Attributes:
        secrets: their values.
    """

    secrets: tuple[str, ...] = ()

    @classmethod
    def of(cls, secrets: Mapping[str, str], variables: Mapping[str, str], others: Iterable[str] = ()) -> Struck:
        """All of `secrets` and `others`; of `variables` those whose name says so, and credentials within the rest."""
        found = {*secrets.values(), *others, *in_variables(variables)}
        return cls._sorted(spelled for value in found for spelled in _spellings(value))

    @classmethod
    def together(cls, parts: Iterable[Struck]) -> Struck:
        """The secrets of all `parts`."""
        return cls._sorted(secret for part in parts for secret in part.secrets)

    @classmethod
    def _sorted(cls, found: Iterable[str]) -> Struck:
        # The longest first: one may be a part of another.
        long_enough = {value for value in found if len(value) >= SHORTEST}
        return cls(tuple(sorted(long_enough, key=lambda value: (-len(value), value))))

    def unless_in(self, texts: Iterable[str]) -> Struck:
        """Without those that `texts` hold: what is said in plain is no secret, and to strike it out would only harm."""
        said = tuple(texts)
        return Struck(tuple(secret for secret in self.secrets if not any(secret in text for text in said)))

    def out_of(self, words: str, *, cut_after: int | None = None) -> str:
        """`words` with a mark in the place of every secret.

        Where somebody else has cut them to `cut_after` bytes, the beginning of one at their end counts as well.
        """
        is_cut = cut_after is not None and len(words.encode("utf-8", "replace")) >= cut_after - 3  # within a character
        for secret in self.secrets:
            words = words.replace(secret, MARK)
        return self._without_beginning(words) if is_cut else words

    def _without_beginning(self, words: str) -> str:
        for length in range(len(words), SHORTEST - 1, -1):
            if any(secret.startswith(words[-length:]) for secret in self.secrets):
                return f"{words[:-length]}{MARK}"
        return words

    def out_of_files(self, folder: Path) -> None:
        """Overwrite every secret in every regular file below `folder` by asterisks, as many as it has bytes.

        Lengths stay, so that binary files can be read as before.
        """
        for file in folder.rglob("*") if self.secrets else ():
            self._out_of_file(file)

    @contextlib.contextmanager
    def out_of_log(self, log: Path) -> Iterator[None]:
        """Like `out_of_files`, of the file `log` that is written inside, however that ends."""
        try:
            yield
        finally:
            self._out_of_file(log)

    @contextlib.contextmanager
    def out_of_errors(self) -> Iterator[None]:
        """Strike every secret out of the message and hint of a `PacecarError` that is raised inside."""
        try:
            yield
        except PacecarError as error:
            error.message = self.out_of(error.message)
            error.hint = None if error.hint is None else self.out_of(error.hint)
            error.args = (error.message,)
            raise

    def _out_of_file(self, file: Path) -> None:
        if self.secrets and file.is_file() and not file.is_symlink():
            with file.open("r+b") as opened:
                _overwrite(opened, tuple(self._encoded()))

    def _encoded(self) -> Iterator[bytes]:
        for secret in self.secrets:
            for encoding in _ENCODINGS:
                yield secret.encode(encoding, "surrogateescape" if encoding == "utf-8" else "surrogatepass")


NOTHING = Struck()


def _overwrite(file: BinaryIO, secrets: Sequence[bytes]) -> None:
    """Overwrite `secrets`, the longest first, in a file of any size; whoever wrote it may have written gigabytes."""
    overlap = max(map(len, secrets)) - 1
    kept = kept_as_written = b""
    at = 0
    while chunk := file.read(_PIECE_BYTES):
        # What one piece ends with may be the beginning of a secret, though a shorter one was struck out of it already.
        content = kept + chunk
        struck = content
        for secret in secrets:
            struck = struck.replace(secret, b"*" * len(secret))
        before = zip(kept, kept_as_written, struck, strict=False)
        written = bytes(new if new != old else was for old, was, new in before) + struck[len(kept) :]
        if written != kept_as_written + chunk:
            file.seek(at - len(kept))
            file.write(written)
        at += len(chunk)
        file.seek(at)
        kept, kept_as_written = content[-overlap:], written[-overlap:]


def _argument(argument: str) -> str:
    name, sign, value = argument.partition("=")
    if sign and value and is_credential(name):
        return f"{name}={MARK}"
    return text(argument)


def _signed(value: str) -> Iterator[tuple[int, int]]:
    """Where in `value` what follows the name of a credential begins and ends."""
    position = 0
    for match in _SIGNED.finditer(value):
        if match.start() < position or not is_credential(match[1]):
            continue
        if found := _VALUE.match(value, match.end()):
            position = found.end()
            yield found.span()


def _bare(value: str) -> Iterator[str]:
    """`value`, without the scheme that it has in a header, and the password of a user in it; any may be said."""
    yield value
    if match := _SCHEME.fullmatch(value):
        yield match["value"]
        if match["scheme"].lower() == "basic":
            yield from _password_in(match["value"])


def _password_in(encoded: str) -> Iterator[str]:
    """What follows the user in a value of RFC 7617, `base64(user:password)`."""
    with contextlib.suppress(ValueError):  # no base64, or no text
        _, _, password = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True).decode().partition(":")
        yield password


def _spellings(secret: str) -> set[str]:
    """`secret` as it stands in texts, in addresses, in JSON and in base64."""
    if len(secret) < SHORTEST:
        return set()
    try:
        escaped = {quote(secret, safe=""), quote_plus(secret), unquote(secret)}
    except UnicodeEncodeError:  # bytes that are no text, from the environment
        escaped = set()
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {secret, *in_json, *escaped, *_in_base64(secret)}


def _in_base64(secret: str) -> Iterator[str]:
    """What base64 makes of `secret` wherever it stands in what is encoded, such as behind a user and a colon.

    A character stands for six bits, so those at both ends belong to a neighbour as well, and are left out.
    """
    for encoding in ("utf-8", "latin-1"):  # of a header, programs take either
        try:
            data = secret.encode(encoding, "surrogateescape")
        except UnicodeEncodeError:
            continue
        for before, shared in enumerate(_SHARED):
            inner = base64.b64encode(bytes(before) + data).decode()[shared : (before + len(data)) * 8 // 6]
            yield from (inner, inner.translate(_URL_SAFE))
