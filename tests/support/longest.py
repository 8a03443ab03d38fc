"""Which tests start first when several processes run them: all processes wait for the last test."""

from __future__ import annotations

#: Files, folders and tests that last longest, in the order in which they are begun.
LONG = (
    "unit/workflow/test_faults.py",
    "unit/reporting/test_hostile_documents.py",
    "unit/archive/test_two_writers.py",
    "unit/workflow/test_history.py",
    "integration/containers",
    "integration/cluster",
    "integration/github/test_second_stage.py",
    "integration/gatling_kit/test_slices.py",
    "integration/test_affected.py",
    "integration/test_s3_archive.py",
    "integration/test_equal_builds.py",
    "end_to_end/test_quick.py",
    "end_to_end/test_containers.py",
    "end_to_end/test_cluster.py",
    "end_to_end/test_workflows.py",
    "end_to_end/test_injectors.py",
    "end_to_end/test_shared_baseline.py",
    "end_to_end/test_plain_simulation.py",
    "end_to_end/test_compare.py::test_sides_take_turns_once_one_works_beside_the_other",
    "end_to_end/test_spans.py",
    "end_to_end/test_tiers.py",
    "end_to_end/test_endpoint_counts.py",
    "end_to_end/test_peers.py",  # a little later, since Prometheus is to find time to scrape
)


def rank(place: str) -> int:
    """When a test is begun, by its place: `unit/test_house.py::test_a`."""
    return next((rank for rank, long in enumerate(LONG) if place.startswith(long)), len(LONG))
