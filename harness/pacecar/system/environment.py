"""The environment of every process that Pacecar starts: variables of its own that are named here, never all of them.

Builds, simulations and services are foreign code, and what surrounds Pacecar in CI holds tokens. So a child gets what
programs of its kind need to find their way, and what the user lets through by name (`inherit`, `target.secrets`). This
keeps secrets from code that merely prints its environment. It is no wall: a process of the same user can read
/proc/PID/environ of ours, which is why a job that measures foreign code should hold no token worth stealing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

#: What any program may need: to be found, to write, to speak the user's language, and to reach a network.
_BASIC = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "JAVA_HOME"),
        *("LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
        *("http_proxy", "https_proxy", "no_proxy", "all_proxy"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
    }
)
#: What Maven, Gradle and scripts around them ask for. Not all of GRADLE_*: an access key is among them.
_BUILD = frozenset(
    {
        *("CI", "SOURCE_DATE_EPOCH", "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"),
        *("M2_HOME", "MAVEN_HOME", "MAVEN_OPTS", "MAVEN_ARGS", "MAVEN_USER_HOME", "MAVEN_CONFIG"),
        *("GRADLE_HOME", "GRADLE_OPTS", "GRADLE_USER_HOME"),
    }
)
#: A JDK by its version, as runners name them: JAVA_HOME_17_X64.
_JDK = re.compile(r"JAVA_HOME_[0-9]{1,3}(_[A-Za-z0-9]+)?")
_ENGINE = frozenset(
    {
        *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS", "DOCKER_TLS_VERIFY"),
        *("DOCKER_API_VERSION", "DOCKER_DEFAULT_PLATFORM", "DOCKER_BUILDKIT"),
    }
)
#: Of a fork, so that it runs alike in a terminal, in an editor and in CI.
_FORK = frozenset({"PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR"})
#: What belongs to the job that Pacecar runs in, or to Pacecar. A configuration, which may be a stranger's, cannot
#: let these through.
_NEVER = re.compile(
    r"(GITHUB|ACTIONS|RUNNER|INPUT)_.*|GH_TOKEN|GH_ENTERPRISE_TOKEN"
    r"|PACECAR_.*|GIT_CONFIG_(COUNT|KEY_.*|VALUE_.*|PARAMETERS)"
)


def inherited(inherit: Iterable[str] = ()) -> dict[str, str]:
    """Of any program; `inherit` names what the user lets through beside the usual."""
    return _taken(_BASIC, inherit)


def of_build(inherit: Iterable[str] = ()) -> dict[str, str]:
    """Of a build command, and of Maven on our own behalf."""
    jdks = {name for name in os.environ if _JDK.fullmatch(name)}
    return _taken(_BASIC | _BUILD | jdks, inherit)


def steering_build(inherit: Iterable[str] = ()) -> dict[str, str]:
    """Of `of_build`, what may have a build make something else of the same source: not what any program gets."""
    return {name: value for name, value in of_build(inherit).items() if name not in _BASIC}


def of_engine(inherit: Iterable[str] = ()) -> dict[str, str]:
    """Of `docker` and `docker compose`, which fills in what a compose file asks for."""
    return _taken(_BASIC | _ENGINE, inherit)


def of_fork() -> dict[str, str]:
    """Of a service that is a process, and of hooks."""
    return _taken(_FORK, ())


def of_credentials() -> dict[str, str]:
    """Of the program that hands out credentials of a cluster: all, as kubectl gives it. It is the user's, and which of
    a cloud's variables it reads it alone knows.
    """
    return dict(os.environ)


def of_git(*, reading: bool = True) -> dict[str, str]:
    """Of git, in English.

    Without the variables by which a hook points git at another repository, and without settings given by
    variables, in which CI keeps tokens. Where we only read, nothing is fetched and nobody is asked anything.
    """
    plain = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat"}
    return inherited() | plain | ({"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"} if reading else {})


def is_never_passed(name: str) -> bool:
    """Whether the variable `name` stays with Pacecar even where a configuration asks for it."""
    return _NEVER.fullmatch(name) is not None


def _taken(usual: Iterable[str], inherit: Iterable[str]) -> dict[str, str]:
    names = {*usual, *(name for name in inherit if not is_never_passed(name))}
    found = {name: os.environ[name] for name in sorted(names) if name in os.environ}
    homes = [name for name in found if name == "JAVA_HOME" or _JDK.fullmatch(name)]
    # Named from our working directory; a child has another one.
    return found | {name: str(Path(found[name]).absolute()) for name in homes if found[name]}
