"""Draws what `synthetic.py` found.

    python -m benchmarks.verdict.plots       # results/false-alarms.svg and results/power.svg

Needs matplotlib, which nothing else in the project does: `pip install matplotlib`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
SIZES = (3, 5, 10, 20)
KINDS = {"cpu": "CPU per request", "latency": "latency of every request", "tail": "the tail alone"}
OURS = {"Pacecar, 3 pairs": "#7fb3d5", "Pacecar, 6 pairs": "#2471a3", "Pacecar, 12 pairs": "#154360"}


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    import matplotlib.pyplot as plt  # not among the tools of development: only these two pictures need it

    plt.rcParams |= {"svg.hashsalt": "pacecar", "svg.fonttype": "none", "font.size": 9}
    found = json.loads((RESULTS / "synthetic.json").read_text())
    scenarios = {scenario["scenario"]: scenario["rates"] for scenario in found["scenarios"]}
    rules = [name.removesuffix(": found") for name in scenarios["cpu +10 %"] if name.endswith(": found")]
    rules.sort(key=lambda rule: (rule in OURS, scenarios["identical"][f"{rule}: any false"][0]), reverse=True)
    _false_alarms(plt, scenarios, rules)
    _power(plt, scenarios, rules)


def _false_alarms(plt: Any, scenarios: dict[str, Any], rules: list[str]) -> None:
    figure, axes = plt.subplots(figsize=(7.5, 0.34 * len(rules) + 1.1), layout="constrained")
    for place, rule in enumerate(rules):
        rate, low, high = (100 * value for value in scenarios["identical"][f"{rule}: any false"])
        axes.barh(place, rate, color=OURS.get(rule, "#b0b0b0"))
        axes.plot([low, high], [place, place], color="black", linewidth=1)
        axes.text(max(high, rate) + 1, place, f"{rate:.2g} %", va="center")
    axes.set_yticks(range(len(rules)), rules)
    axes.set_xlim(0, 108)
    axes.set_xlabel("identical builds called slower in any of 20 metrics, % of comparisons")
    axes.spines[["top", "right"]].set_visible(False)
    _save(plt, figure, "false-alarms")


def _power(plt: Any, scenarios: dict[str, Any], rules: list[str]) -> None:
    figure, parts = plt.subplots(1, len(KINDS), figsize=(10, 3.6), sharey=True, layout="constrained")
    for axes, (kind, title) in zip(parts, KINDS.items(), strict=True):
        for place, rule in enumerate(rules):
            rates = [100 * scenarios[f"{kind} +{size} %"][f"{rule}: found"][0] for size in SIZES]
            style = (
                {"color": OURS[rule], "linewidth": 2.2} if rule in OURS else {"linewidth": 1, "linestyle": _dash(place)}
            )
            axes.plot(SIZES, rates, label=rule, marker="o", markersize=3, **style)
        axes.set_title(title)
        axes.set_xticks(SIZES, [f"+{size} %" for size in SIZES])
        axes.spines[["top", "right"]].set_visible(False)
    parts[0].set_ylabel("found, % of comparisons")
    figure.legend(*parts[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    _save(plt, figure, "power")


def _dash(place: int) -> tuple[int, tuple[int, ...]]:
    return 0, (4, 1 + place % 4, 1, 1 + place % 3)


def _save(plt: Any, figure: Any, name: str) -> None:
    figure.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
