"""CPU time by pools of threads, from what each thread ran."""

from __future__ import annotations

from pacecar.measurement.probes.threads import ThreadTimes
from pacecar.measurement.session.pool_cpu import table
from pacecar.model.tables import TABLES


def ran(name: str, ns: int) -> ThreadTimes:
    return ThreadTimes(name=name, ran_ns=ns, waited_ns=0)


def test_threads_of_a_pool_are_added_up() -> None:
    start = {1: ran("exec-1", 10), 2: ran("exec-2", 20), 3: ran("main", 5)}
    end = {1: ran("exec-1", 15), 2: ran("exec-2", 27), 3: ran("main", 5)}
    found = table({4: (start, end)})
    assert found.dtypes.astype(str).to_dict() == TABLES["pool_cpu"]
    assert found.to_dict("records") == [
        {"window": 4, "pool": "exec", "cpu_ns": 12, "threads": 2, "changed": 0},
        {"window": 4, "pool": "main", "cpu_ns": 0, "threads": 1, "changed": 0},
    ]


def test_a_thread_at_one_edge_only_has_changed() -> None:
    start = {1: ran("exec-1", 10), 2: ran("exec-2", 20), 3: ran("a", 9), 4: ran("b", 9)}
    end = {1: ran("exec-1", 15), 5: ran("exec-3", 2), 3: ran("a", 1), 4: ran("c", 10)}
    found = table({0: (start, end)}).set_index("pool")[["cpu_ns", "threads", "changed"]]
    # Ids of threads that have ended are given to others.
    assert found.T.to_dict("list") == {"exec": [5, 1, 2], "a": [0, 0, 2], "b": [0, 0, 1], "c": [0, 0, 1]}


def test_of_nothing_read_there_are_no_rows() -> None:
    assert table({}).empty
    assert list(table({0: ({}, {})}).columns) == list(TABLES["pool_cpu"])
