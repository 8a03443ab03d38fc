"""Putting load on forks: `load_run` is the load of a pair, `injector` says what each process that sends some of it can
do, `generators` knows which load generators there are: `gatling`.
"""
