"""What a cluster says, as sentences."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from pacecar.system.cluster import ClusterError, ClusterUnreachable
from pacecar.text import hidden
from pacecar.text.plain import cleaned

_MOST = 400
_QUOTA, _WEBHOOK = re.compile(r"exceeded quota: (\S+),"), re.compile(r'admission webhook "([^"]+)" denied')
_SECURITY = re.compile(r"violates PodSecurity \"([^\"]+)\": (.*)", re.DOTALL)


def plain(text: object) -> str:
    """What a cluster said, fit to be shown: one line without secrets."""
    return cleaned(hidden.text(" ".join(str(text or "").split())))[:_MOST]


@contextlib.contextmanager
def told(what: str) -> Iterator[None]:
    """Turn whatever goes wrong while `what` is done ("create pod orders-b") into a ClusterError."""
    import httpx2
    from lightkube.core.exceptions import ApiError, ConfigError

    try:
        yield
    except ApiError as error:
        raise refused(what, code=error.status.code or 0, message=plain(error.status.message)) from error
    except ConfigError as error:
        raise ClusterError(
            f"The cluster's credentials cannot be used: {plain(error)}.", hint="kubectl auth whoami"
        ) from error
    except (httpx2.HTTPError, OSError) as error:
        raise ClusterUnreachable(
            f"The cluster does not answer: {plain(error) or type(error).__name__}.", hint="kubectl cluster-info"
        ) from error


@contextlib.contextmanager
def configured(kubeconfig: object) -> Iterator[None]:
    """Turn whatever goes wrong while a configuration of kubectl is read into a ClusterError.

    The library reads it as it comes: what is missing or of another type is any of these.
    """
    import yaml
    from lightkube.core.exceptions import ConfigError
    from msgspec import MsgspecError

    wrong = (AssertionError, AttributeError, LookupError, MsgspecError, OSError, TypeError, ValueError, yaml.YAMLError)
    try:
        yield
    except (ConfigError, *wrong) as error:
        where = f" {kubeconfig}" if kubeconfig else ""
        raise ClusterError(
            f"The configuration of kubectl{where} cannot be used: {plain(error) or type(error).__name__}.",
            hint="See what it says: kubectl config view; it is read from KUBECONFIG or ~/.kube/config",
        ) from error


def refused(what: str, *, code: int, message: str) -> ClusterError:
    """The error for what the API answered.

    Args:
        what: what was to be done, as in "create pod x".
        code: status.
        message: of the API.
    """
    if code == 401:
        return ClusterError(
            "The cluster does not know us: the token or certificate of this context is wrong or has expired.",
            hint="Log in again, then: kubectl auth whoami",
        )
    if found := _QUOTA.search(message):
        return ClusterError(
            f"The quota {found[1]} of the namespace is too small to {what}: {message}.",
            hint="Ask for less under [target.kubernetes], wait until other pods are gone, or have the quota raised.",
        )
    if found := _SECURITY.search(message):
        return ClusterError(
            f"The namespace's pod security ({found[1]}) does not let us {what}: {found[2]}.",
            hint="Give the pod of target.kubernetes.manifest the securityContext that the namespace asks for.",
        )
    if found := _WEBHOOK.search(message):
        return ClusterError(
            f"The admission webhook {found[1]} does not let us {what}: {message}.",
            hint="Ask whoever runs the cluster what it wants of pods.",
        )
    if code == 403:
        return ClusterError(
            f"This account has no right to {what}: {message}.",
            hint="What it needs: pacecar cluster manifest | kubectl diff -f -",
        )
    return ClusterError(f"The cluster refused to {what}: {message or f'status {code}'}.", hint="kubectl get events")
