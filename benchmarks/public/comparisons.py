"""Compares public services with changes to them, as a newcomer to Pacecar would.

    python -m benchmarks.public.comparisons record spring-petclinic-rest rename [--quick] [--source CLONE]
    python -m benchmarks.public.comparisons table

Each comparison is a first run: nothing is known about the noise of the service. The configuration is what `pacecar
init` and `pacecar size --write` left; the README says what was changed by hand. Results go to `results/NAME.json`. The
exit status of `table` is 1 if a comparison did not conclude what it must.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.public.services import BEFORE, Change, Service, names

RESULTS = Path(__file__).parent / "results"
_ROOT = Path(__file__).resolve().parents[2]
_TIERS = {"full": "verdict", "quick": "quick"}


def record(service: Service, change: str, *, tier: str, source: str | None) -> None:
    """Measure, and keep what was concluded."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        service.repository_at(tree, source=source)
        document = _compared(tree, change, tier=tier)
    results = _results(service.name)
    results.setdefault(change, {}).setdefault(tier, []).append(conclusion(document, commit=_commit()))
    (RESULTS / f"{service.name}.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def conclusion(document: dict[str, Any], *, commit: str) -> dict[str, Any]:
    """The part of a document that is kept.

    Args:
        document: as `pacecar compare --json` prints it.
        commit: of Pacecar.
    """
    causes = [cause["statement"] for finding in document["findings"] for cause in finding["causes"][:1]]
    provenance = document["provenance"]
    return {
        "commit": commit,
        "run": document["run_id"],
        "machine": f"{provenance['machine']['cpu_model']}, {provenance['machine']['cores']} cores",
        "verdict": document["verdict"],
        "headline": document["headline"],
        "reason": document["reason"],
        "pairs": document["pairs_judged"],
        "duration_s": round(provenance["duration_s"], 1),
        "causes": causes,
    }


def table() -> tuple[str, bool]:
    """The table of the README, and whether every comparison concluded what it must."""
    head = "| service | change | tier | verdict | pairs, minutes | named first |\n| -- | -- | -- | -- | -- | -- |"
    rows, right = [head], True
    for service in map(Service.read, names()):
        for name, tiers in sorted(_results(service.name).items()):
            change = service.changes[name]
            for tier, runs in sorted(tiers.items()):
                rows += [_row(service, change, tier, run) for run in runs]
                right &= all(_as_it_must(change, tier, run) for run in runs)
    return "\n".join(rows), right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("service", choices=names())
    recording.add_argument("change")
    recording.add_argument("--quick", action="store_true")
    recording.add_argument("--source", help="a clone on this machine, instead of the public repository")
    commands.add_parser("table")
    options = parser.parse_args()
    if options.command == "record":
        service = Service.read(options.service)
        if options.change not in service.changes:
            parser.error(f"{service.name} has no change {options.change}; it has {', '.join(service.changes)}")
        record(service, options.change, tier="quick" if options.quick else "full", source=options.source)
    text, right = table()
    print(text)
    sys.exit(0 if options.command == "record" or right else 1)


def _compared(tree: Path, change: str, *, tier: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "pacecar", "compare", "--json", "--fail-on", "nothing"]
    command += ["--baseline", f"ref:{BEFORE}", "--candidate", f"ref:{change}"]
    ended = subprocess.run(
        command + (["--quick"] if tier == "quick" else []), cwd=tree, stdout=subprocess.PIPE, check=False
    )
    if ended.returncode not in (0, 3):  # 3: no verdict, for a reason that the document tells
        sys.exit(f"pacecar ended with {ended.returncode}")
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def _results(name: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    file = RESULTS / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _commit() -> str:
    described = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(described, cwd=_ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _as_it_must(change: Change, tier: str, run: dict[str, Any]) -> bool:
    if run["verdict"] != getattr(change, _TIERS[tier]):
        return False
    return tier == "quick" or change.root is None or any(change.root in cause for cause in run["causes"][:1])


def _row(service: Service, change: Change, tier: str, run: dict[str, Any]) -> str:
    verdict = run["verdict"] if run["verdict"] == getattr(change, _TIERS[tier]) else f"**{run['verdict']}**"
    named = change.root is not None and any(change.root in cause for cause in run["causes"][:1])
    first = str(change.root) if named else (run["causes"] or [""])[0]
    cells = [
        f"{service.name} ({service.made_of})",
        change.does,
        tier,
        verdict,
        f"{run['pairs']}, {run['duration_s'] / 60:.1f}",
        first.replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
