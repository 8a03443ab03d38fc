"""Where a service without a framework puts its JAX-RS resources: below a URI, or where a servlet is mapped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import path_of
from pacecar.onboarding.initialise.source_text import without_comments

#: What makes a server of a URI and resources.
_SERVER = re.compile(
    r"\b(?:GrizzlyHttpServerFactory|GrizzlyServerFactory|JdkHttpServerFactory|NettyHttpContainerProvider"
    r"|SimpleContainerFactory|JettyHttpContainerFactory|HttpServerFactory)\b"
)
_URI = re.compile(
    r"\"https?:/{2}(?:localhost|0\.0\.0\.0|127\.0\.0\.1|\[::\])(?::(?P<port>\d{2,5}))?(?P<path>/[\w./-]{0,80}+)?\"",
    re.ASCII,
)
#: The servlets that ask resources.
_SERVLET = re.compile(
    r"\b(?:ServletContainer|HttpServletDispatcher|HttpServlet30Dispatcher|CXFNonSpringJaxrsServlet)\b"
)
#: `addServlet(holder, "/api/*")`, up to the end of its statement.
_MAPPED = re.compile(r"\b(?:addServlet|addMapping|setServletPath)\s{0,9}+\([^;{}]{0,300}?\"(/[\w./-]{0,80}+)\*?\"")
_MAPPING = re.compile(
    r"<servlet-mapping>\s{0,200}<servlet-name>([^<]{1,200}+)</servlet-name>\s{0,200}<url-pattern>([^<]{1,100}+)</url-pattern>"
)
_NAME = re.compile(r"<servlet-name>([^<]{1,200}+)</servlet-name>")
_MOST_SERVLETS, _LONGEST_SERVLET = 100, 2_000
_APPLICATION = re.compile(r"\b(?:javax|jakarta)\.ws\.rs\.core\.Application\b")
_WEB_XML = Path("src", "main", "webapp", "WEB-INF", "web.xml")


@dataclass(frozen=True, kw_only=True)
class JerseyPlace:
    """Where resources are served.

    Attributes:
        port: None where nothing names one.
        path: what precedes those of the resources; None where nothing tells.
    """

    port: int | None = None
    path: str | None = None


def jersey_place(module: Path) -> JerseyPlace:
    """Where the sources of a module, or its `web.xml`, put JAX-RS resources."""
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        if _SERVER.search(source) and (found := _URI.search(without_comments(source))):
            return JerseyPlace(
                port=int(found["port"]) if found["port"] else None, path=path_of(found["path"] or "") or None
            )
        if _SERVLET.search(source) and (mapped := _servlet(without_comments(source))):
            return JerseyPlace(path=path_of(mapped) or None)
    return JerseyPlace(path=next(_in_web_xml(files.text(module / _WEB_XML)), None))


def _servlet(source: str) -> str | None:
    """The path of the servlet that asks resources: in the statement that speaks of it, else of the only one."""
    mapped = list(_MAPPED.finditer(source))
    own = [each[1] for each in mapped if _SERVLET.search(each[0])]
    return own[0] if own else (mapped[0][1] if len(mapped) == 1 else None)


def _in_web_xml(text: str) -> Iterator[str]:
    names = set()
    for part in text.split("<servlet>", _MOST_SERVLETS)[1:]:
        servlet = part[:_LONGEST_SERVLET].partition("</servlet>")[0]
        if _SERVLET.search(servlet) and (name := _NAME.search(servlet)):
            names.add(name[1].strip())
    for named, pattern in _MAPPING.findall(text):
        asks = named.strip() in names or _APPLICATION.fullmatch(named.strip())
        if asks and (path := path_of(pattern.strip().rstrip("*"))):
            yield path
