"""Putting load on forks. `load_run` says what a generator and its runs are, `generators` which there are: `gatling`."""
