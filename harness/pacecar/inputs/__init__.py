"""What is asked for, made ready.

In: `pacecar.toml` and the builds a user names. Out: an `Experiment`, artifacts that run, and the tools that load them.
"""
