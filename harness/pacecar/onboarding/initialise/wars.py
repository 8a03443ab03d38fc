"""What to say of a war that nothing seems to start: which server it is made for, and how that one packs it."""

from __future__ import annotations

from collections.abc import Collection

_DOUBT = "that the war starts by itself: "
_ANY = (
    "without Spring Boot's plugin most need a server; have target.command start one, such as Jetty's, with {artifact} "
    "and {port} as its arguments"
)
#: By plugins of the build: how the war becomes something that starts, and how that is told its port.
_SERVERS = {
    "liberty-maven-plugin": (
        "it is made for Liberty, whose goal liberty:package -Dinclude=runnable makes a jar that does; have "
        "source.command run it, and name that jar in source.artifact; server.xml says by which variable it takes a port"
    ),
    "payara-micro-maven-plugin": (
        "it is made for Payara Micro, whose goal payara-micro:bundle leaves target/*-microbundle.jar, which does; name "
        "that in source.artifact, and give it --port {port} --nocluster"
    ),
    "wildfly-jar-maven-plugin": (
        "it is made for WildFly, whose plugin leaves target/*-bootable.jar, which does; name that in source.artifact, "
        "and start it with -Djboss.http.port={port} -Djboss.management.http.port=0"
    ),
}


def needs_a_server(words: Collection[str]) -> str:
    """What is said of the war of a project in whose build files `words` stand, such as names of plugins."""
    return _DOUBT + next((said for plugin, said in _SERVERS.items() if plugin in words), _ANY)
