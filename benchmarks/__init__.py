"""Speed and detection, measured: programs that are started from the checkout, as each one's docstring says.

    .venv/bin/python -m benchmarks.verdict.real judge
    PYTHONPATH=tests .venv/bin/python -m benchmarks.readers.jfr --events 10000

`PYTHONPATH=tests` brings `support`, what tests share, to those that make their inputs with it. `--help` is answered by
every program.
"""
