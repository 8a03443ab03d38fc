"""What a service never loads of its build, or what only says when and by whom it was made.

Two builds that differ in nothing else run the same code with the same data. `docs/reference/artifacts.md` says what
counts, and why.
"""

from __future__ import annotations

import re

#: Never opened by a JVM, a launcher or a framework that serves requests.
_NEVER = re.compile(
    r"""(?:^|/)META-INF/(?: maven | sbom | native-image | proguard )/
      | (?:^|/)META-INF/(?: LICENSE | NOTICE | DEPENDENCIES )(?: [.-][\w.-]* )?$
      | (?:^|/)(?: BOOT | WEB )-INF/layers\.idx$
      | \.(?: java | kt | scala )$
    """,
    re.VERBOSE,
)
#: Opened when a signed jar is; whoever signs again writes others that are checked alike.
_SIGNATURE = re.compile(r"(?:^|/)META-INF/(?:SIG-[^/]*|[^/]*\.(?:SF|RSA|DSA|EC))$", re.IGNORECASE)
#: Attributes of a manifest that say who built it, when, from what and with what.
_DESCRIBES = re.compile(
    r"(?:Originally-)?Created-By|Built-By|Build-(?:Jdk|Jdk-Spec|Jdk-Version|Date|Time|Timestamp|Number|Host|OS|Revision|"
    r"Tool)|Archiver-Version|Ant-Version|Bnd-LastModified|Tool|(?:Implementation-)?(?:Build|SCM-Revision|SCM-Branch)"
    r"|(?:Git|SCM)-[\w-]+|Implementation-Version|Specification-Version|Bundle-Version|.*-Digest",
    re.IGNORECASE,
)
_MANIFEST = "META-INF/MANIFEST.MF"
#: Files of properties that report what a build is, and their keys that do.
_REPORTS = {
    "git.properties": re.compile(r"git\..+"),
    "META-INF/build-info.properties": re.compile(r"build\.(?:time|version)"),
}
_PROPERTY = re.compile(r"([\w.-]+)[ \t]*[=:][ \t]*(.*)")
_SECTION = re.compile(r"\n{2,}")
#: No such file is longer.
MOST_BYTES = 1 << 20

Lines = list[tuple[str, ...]]


def is_never_loaded(name: str) -> bool:
    """Whether a service does without the file, whatever it says, and whether it is there or not."""
    return _NEVER.search(name) is not None


def is_signature(name: str) -> bool:
    """Whether the file signs its jar: that it is there counts, what it says does not."""
    return _SIGNATURE.search(name) is not None


def may_describe(name: str) -> bool:
    """Whether the file may differ in nothing but what describes its build; `alike` says whether it does."""
    return _report_of(name) is not None or _is_manifest(name)


def alike(name: str, before: bytes, after: bytes) -> bool:
    """Whether two contents of such a file differ in nothing but what describes their builds."""
    try:
        return _told(name, before) == _told(name, after)
    except ValueError:
        return False


def _told(name: str, content: bytes) -> Lines:
    """What a file says beyond describing its build. Raises ValueError when it is not as such files are."""
    text = content.decode("utf-8").replace("\r\n", "\n")
    report = _report_of(name)
    return _manifest(text) if report is None else _properties(text, report)


def _manifest(text: str) -> Lines:
    """Section, attribute and value of each; the first section, without a name, is that of the whole jar."""
    told: Lines = []
    for section in _SECTION.split(text.replace("\n ", "").strip("\n")):  # a blank continues the line before
        pairs = [line.partition(":") for line in section.split("\n") if line]
        if not all(colon for _, colon, _ in pairs):
            raise ValueError("a line without an attribute")
        title = next((value.strip() for key, _, value in pairs if key == "Name"), "")
        told += [(title, key, value.strip()) for key, _, value in pairs if not _DESCRIBES.fullmatch(key)]
    return sorted(told)


def _properties(text: str, describes: re.Pattern[str]) -> Lines:
    told: Lines = []
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith(("#", "!")):
            continue
        found = _PROPERTY.fullmatch(line.strip())
        if found is None or line.endswith("\\"):
            raise ValueError("a line that is no property")
        if not describes.fullmatch(found[1]):
            told.append(found.groups())
    return sorted(told)


def _report_of(name: str) -> re.Pattern[str] | None:
    return next((keys for path, keys in _REPORTS.items() if f"/{name}".endswith(f"/{path}")), None)


def _is_manifest(name: str) -> bool:
    return f"/{name}".endswith(f"/{_MANIFEST}")
