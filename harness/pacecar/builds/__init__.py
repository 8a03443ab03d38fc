"""A jar, a git ref, a source tree or a patch to something deployable."""
