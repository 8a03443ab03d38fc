"""Programs of ours in pods of a cluster, and how they are spoken to: the sidecar of a fork, a load generator.

Such a program answers whoever has its token (`serving`), takes files that are checked by their digests (`files`), and
is asked by a `client`. `clock` says how far the clock of its node is ahead of ours. `injectors` says where load
generators run that are to be pods.
"""
