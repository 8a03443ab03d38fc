"""Before the first comparison: `initialise` proposes a `pacecar.toml`, `doctor` says what this machine lacks.

In: a project's folder, and this machine. Out: a configuration file, and `Check`s with remedies.
"""
