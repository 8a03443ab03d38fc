"""What whoever compares builds does in a namespace, and so what an account needs."""

from __future__ import annotations

#: Resource of the API -> verbs.
RIGHTS = {
    "pods": ("create", "get", "list", "delete"),
    "pods/log": ("get",),
    "secrets": ("create", "list", "delete"),
}
