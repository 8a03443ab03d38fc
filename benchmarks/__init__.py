"""Programs that measure speed and detection. Start them from the checkout, as the docstring of each says.

    .venv/bin/python -m benchmarks.verdict.real judge
    PYTHONPATH=tests .venv/bin/python -m benchmarks.readers.jfr --events 10000

With `PYTHONPATH=tests`, a program uses `support`, the code that the tests share. Every program answers `--help`.
"""
