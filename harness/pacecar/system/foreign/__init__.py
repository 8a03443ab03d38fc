"""Bytes that somebody else may have written, read within budgets.

`files` opens what a build, a service, an artifact or another user may have put there: regular files only, of a capped
size, without waiting. `toml` and `jars` look at the shape of such bytes before a parser spends time or memory on them.
`timely` waits for an answer as long as it may take as a whole.
"""
