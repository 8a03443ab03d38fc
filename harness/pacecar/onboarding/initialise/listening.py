"""How a service without a known framework seems to choose its port: read from its sources."""

from __future__ import annotations

import re
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import UNKNOWN, Service

_VARIABLE = re.compile(
    r'\bgetenv\(\s*\)?(?:\.get(?:OrDefault)?\(\s*)?"(\w{0,40}PORT\w{0,40})"|\benv\[\s*"(\w{0,40}PORT\w{0,40})"',
    re.ASCII,
)
_PROPERTY = re.compile(r'\b(?:getProperty|getInteger)\(\s*"([\w.-]{0,80}port)"', re.IGNORECASE | re.ASCII)
_ARGUMENT = re.compile(r"\bparseInt\(\s*args\[0\]|\bargs\[0\]\.toInt\(\)")
_NUMBER = re.compile(
    r"\b(?:start|listen|bind|port|InetSocketAddress)\s*\(\s*(?:\"[\w.:]{1,40}\"\s*,\s*)?(\d{4,5})\s*[,)]"
)
_LOWEST, _HIGHEST = 1024, 65535


def plain_service(module: Path) -> Service:
    """A service of one's own making, told its port the way its sources ask for it."""
    fixed: int | None = None
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        if match := _VARIABLE.search(source):
            return Service(env=((match[1] or match[2], "{port}"),))
        if match := _PROPERTY.search(source):
            return Service(jvm_args=(f"-D{match[1]}={{port}}",))
        if _ARGUMENT.search(source):
            return Service(program_args=("{port}",))
        if fixed is None and (match := _NUMBER.search(source)) and _LOWEST <= int(match[1]) <= _HIGHEST:
            fixed = int(match[1])
    if fixed is not None:
        remark = (
            f"its sources name port {fixed} and no way to change it, so the two builds take turns, which detects less"
        )
        return Service(port=fixed, remarks=(remark,))
    return UNKNOWN
