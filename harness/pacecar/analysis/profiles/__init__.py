"""Profiles of many forks to what changed in them: threads to pools, stacks to one tree, the tree to changed frames."""
