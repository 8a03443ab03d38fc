"""Gatling: `generator` starts it, `run` is one process of it, `record` what that has left behind.

`jvm` is what it runs in, `plan` what Pacecar's kit is told, `clock` and `progress` what the kit tells meanwhile, and
`simulation_log` Gatling's own log.
"""
