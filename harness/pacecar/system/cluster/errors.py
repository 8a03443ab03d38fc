"""What a cluster says, as sentences."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from pacecar.system.cluster import ClusterError, ClusterUnreachable
from pacecar.text import hidden
from pacecar.text.plain import cleaned

_MOST = 400
#: What in the API's words says who refuses: the sentence with those words, and what to do.
_REFUSALS = (
    (
        r"exceeded quota: (?P<who>\S+),",
        "The quota {who} of the namespace is too small to {what}: {said}.",
        "Ask for less under [target.kubernetes], wait until other pods are gone, or have the quota raised.",
    ),
    (
        r"failed quota: (?P<who>[^\s:]+): must specify",
        "The quota {who} of the namespace requires containers to state their needs and does not let us {what}: {said}.",
        "Set target.kubernetes.cpu and memory, and resources of the other containers in the manifest.",
    ),
    (
        r"(?:minimum|maximum) \S+ usage per \w+ is|limit to request ratio per \w+ is",
        "A LimitRange of the namespace does not let us {what}: {said}.",
        "Ask for what it allows (target.kubernetes.cpu and memory): kubectl describe limitrange",
    ),
    (
        r"unable to validate against any security context constraint",
        "The security context constraints of the cluster do not let us {what}: {said}.",
        "Set runAsUser in the manifest to an id of the namespace's range (oc describe namespace), or have an admin let "
        "the account that runs the pod use nonroot-v2.",
    ),
    (
        r"violates PodSecurity \"(?P<who>[^\"]+)\": (?P<said>.*)",
        "The namespace's pod security ({who}) does not let us {what}: {said}.",
        "Give the pod of target.kubernetes.manifest the securityContext that the namespace asks for.",
    ),
    (
        r'admission webhook "(?P<who>[^"]+)" denied',
        "The admission webhook {who} does not let us {what}: {said}.",
        "Ask an admin of the cluster what it requires of pods.",
    ),
)


def plain(text: object) -> str:
    """What a cluster said, fit to be shown: one line without secrets."""
    return cleaned(hidden.text(" ".join(str(text or "").split())))[:_MOST]


@contextlib.contextmanager
def cluster_errors(what: str) -> Iterator[None]:
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
            "The cluster refuses this login: the token or certificate of this context is wrong or has expired.",
            hint="Log in again, then: kubectl auth whoami",
        )
    for pattern, sentence, hint in _REFUSALS:
        if found := re.search(pattern, message):
            named = {"who": "", "said": message, **found.groupdict()}
            return ClusterError(sentence.format(what=what, **named), hint=hint)
    if code == 403:
        return ClusterError(
            f"This account has no right to {what}: {message}.",
            hint="What it needs: pacecar cluster manifest | kubectl diff -f -",
        )
    return ClusterError(f"The cluster refused to {what}: {message or f'status {code}'}.", hint="kubectl get events")
