"""Before the first comparison: `initialise` proposes a `pacecar.toml`, `doctor` says what this machine lacks."""
