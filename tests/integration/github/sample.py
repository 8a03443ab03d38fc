"""What the server of these tests and its pull requests agree on."""

from __future__ import annotations

from pacecar.github.client import Patience

#: The head of every pull request that is the one meant.
SHA = "5f" * 20
QUICK = Patience(retries=3, backoff_s=0.01, longest_s=5.0)
