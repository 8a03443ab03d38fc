"""What a cluster says, as sentences of ours."""

from __future__ import annotations

import pytest

from pacecar.system.cluster.errors import plain, refused

WHAT = "create pod pacecar-1"


@pytest.mark.parametrize(
    ("code", "message", "said", "hint"),
    [
        (401, "Unauthorized", "has expired", "kubectl auth whoami"),
        (
            403,
            "pods is forbidden: User x cannot create",
            f"has no right to {WHAT}: pods is",
            "pacecar cluster manifest",
        ),
        (
            403,
            'pods "a" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
            f"The quota few of the namespace is too small to {WHAT}",
            "target.kubernetes",
        ),
        (
            403,
            'pods "a" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)',
            "pod security (restricted:latest) does not let us create pod pacecar-1: host namespaces",
            "securityContext",
        ),
        (
            400,
            'admission webhook "policy.example.com" denied the request: no latest tags',
            "The admission webhook policy.example.com does not let us",
            "an admin of the cluster",
        ),
        (
            403,
            'pods "a" is forbidden: failed quota: all: must specify limits.cpu for: pacecar-sidecar,db',
            f"The quota all of the namespace requires containers to state their needs and does not let us {WHAT}",
            "target.kubernetes.cpu",
        ),
        (
            403,
            'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
            f"A LimitRange of the namespace does not let us {WHAT}",
            "kubectl describe limitrange",
        ),
        (
            403,
            'pods "a" is forbidden: cpu max limit to request ratio per Container is 1, but provided ratio is 2.000000',
            "A LimitRange of the namespace",
            "kubectl describe limitrange",
        ),
        (
            403,
            'pods "a" is forbidden: unable to validate against any security context constraint: [provider '
            "restricted-v2: .spec.securityContext.runAsUser: Invalid value: 1000: must be in the ranges: [1, 2]]",
            "The security context constraints of the cluster do not let us",
            "runAsUser",
        ),
        (422, "spec.containers[0].image: Required value", "Required value", "kubectl get events"),
        (500, "", "status 500", "kubectl get events"),
    ],
)
def test_a_refusal_says_who_refuses_and_what_to_do(code: int, message: str, said: str, hint: str) -> None:
    error = refused(WHAT, code=code, message=message)
    assert said in error.message
    assert hint in (error.hint or "")
    assert error.message.endswith(".")


@pytest.mark.hostile
def test_what_a_cluster_says_is_shown_without_secrets_and_control_characters() -> None:
    shown = plain("a\x1b[31m\nb  password=hunter2 \u202e" + "x" * 5_000)
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert "hunter2" not in shown
    assert len(shown) <= 400
