"""A jar, a git ref, a source tree or a patch to something deployable.

`request` reads what the user named, `artifact` makes the jar or folder of it, `image` the images of a compose service:
`sources` copies the source, `digest` tells whether such a copy was built before, `compilation` runs the build command,
`store` keeps what it leaves, with the `libraries` a jar needs. `again` says what makes the build of a recording once
more. `difference` tells which classes changed. `git` asks git, `commits` asks it about history.
"""

from __future__ import annotations

from pacecar.errors import UsageError


class BuildError(UsageError):
    """A build does not exist, does not compile, or leaves no artifact."""
