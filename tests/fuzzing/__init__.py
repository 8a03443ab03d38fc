"""Coverage-guided fuzzing of everything that reads foreign bytes.

    PYTHONPATH=tests python -m fuzzing --list
    PYTHONPATH=tests python -m fuzzing NAME --minutes 60
    PYTHONPATH=tests python -m fuzzing --all --minutes 60    # the time is divided among all readers

A reader is a module `readers/NAME.py` with

    def parse(data: bytes) -> None    calls the real reader; swallows that reader's own errors and nothing else
    def seeds() -> Iterable[bytes]    optional: inputs to begin with, made by code
    LIMITS = Limits(...)              optional: of one input; `limits.Limits` has the defaults
    INSTRUMENT = ("package", ...)     optional: what is watched for coverage besides `pacecar`

Whatever else `parse` raises, a `MemoryError` included, is a crash. So is an input that takes more time or memory than
`LIMITS` says. `parse` must not leave files behind; `scratch.path()` is a folder of the process's own.

    readers   one module per reader
    seeds     seeds/NAME: the inputs that are kept, few and small; every one that crashed is among them
    limits    what one input may take
    registry  the readers by name, with their seeds
    guided    one reader in this process under libFuzzer; started by `runs`
    runs      a run of one reader in a child process: fuzz, keep what crashed, keep the corpus small
    replay    every seed through its reader in this process; needs no fuzzer

`tests/unit/test_fuzzing_seeds.py` replays all seeds in `make test`. Fuzzing itself needs `atheris`:
`make .venv/fuzz-ready`.
"""
