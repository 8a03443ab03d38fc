"""What the words of a verdict mean: one text for the command `explain`, the tooltips and the list of a report."""

from __future__ import annotations

from dataclasses import dataclass

_VERDICTS = "docs/explanation/verdicts.md"
_CONFIGURATION = "docs/reference/configuration.md"
_GLOSSARY = "docs/reference/glossary.md"


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word with its meaning.

    Attributes:
        name: as people write it.
        meaning: two or three plain sentences.
        page: where more stands, from the top of the repository, with the heading's anchor.
    """

    name: str
    meaning: str
    page: str

    @property
    def anchor(self) -> str:
        """The id under which a report lists the word."""
        return "word-" + self.name.replace(" ", "-").replace(".", "-")


_ALL = (
    Word(
        name="regressed",
        meaning="It got worse beyond chance, by an estimate at or beyond its budget; the interval says how much less "
        "it may be. "
        "In a whole comparison of identical builds, the chance of any false regression is at most 1%.",
        page=f"{_VERDICTS}#regressed-and-why-chance-is-ruled-out",
    ),
    Word(
        name="improved",
        meaning="It got better beyond chance, by an estimate at or beyond its budget. "
        "A comparison is improved when nothing regressed, every guaranteed metric passed or improved, "
        "and at least one improved.",
        page=f"{_VERDICTS}#the-verdict-of-the-whole-comparison",
    ),
    Word(
        name="passed",
        meaning="Nothing regressed, and a worsening beyond what is printed is ruled out for each guaranteed metric. "
        "Smaller ones are not: the printed bounds say how much worse each may still be. "
        "Builds that are the same pass without being measured.",
        page=f"{_VERDICTS}#passed-is-a-claim",
    ),
    Word(
        name="inconclusive",
        meaning="The data allow both: it may have got worse or not. "
        "The reason beside it says what it would take to know. "
        "Only guaranteed metrics leave a whole comparison inconclusive.",
        page=f"{_VERDICTS}#inconclusive-and-what-to-do",
    ),
    Word(
        name="invalid",
        meaning="The measurement cannot be trusted, for a reason outside the builds. "
        "Fix what disturbed it (pacecar doctor helps), and measure again.",
        page=f"{_VERDICTS}#invalid-and-pairs-that-are-left-out",
    ),
    Word(
        name="unchanged",
        meaning="A word of earlier versions: a change as large as the budget was ruled out in both directions. "
        "Newer comparisons say passed, which rules out a worsening only.",
        page=f"{_VERDICTS}#passed-is-a-claim",
    ),
    Word(
        name="guaranteed",
        meaning="A metric that must be shown to be no worse for the comparison to pass. "
        "By default: CPU, allocation, errors, typical latency, tail latency and, with a staircase, capacity. "
        "gate.metrics names others.",
        page=f"{_VERDICTS}#guaranteed-metrics-and-tripwires",
    ),
    Word(
        name="tripwire",
        meaning="A metric with a budget that is not guaranteed. "
        "It fails the comparison when it regressed, and need not be shown to be no worse. "
        "gate.ignore exempts it.",
        page=f"{_VERDICTS}#guaranteed-metrics-and-tripwires",
    ),
    Word(
        name="observed",
        meaning="A metric that decides nothing: it has no budget, or gate.ignore exempts it. "
        "Its verdict is information.",
        page=f"{_VERDICTS}#guaranteed-metrics-and-tripwires",
    ),
    Word(
        name="weak",
        meaning="A tail that scatters too much for a plan of this size to rule out its allowance. "
        "It passes with the bound that is printed, however high, unless it looks worse. "
        "More pairs lower the bound; naming the metric in gate.metrics insists on the allowance.",
        page=f"{_VERDICTS}#weak-guarantees",
    ),
    Word(
        name="budget",
        meaning="How much worse a metric may get (worse), or the most it may be (max). "
        "A change smaller than the budget is no regression, however certain it is.",
        page=f"{_VERDICTS}#the-budget-and-the-allowance",
    ),
    Word(
        name="allowance",
        meaning="The worsening that must be ruled out for a guaranteed metric to pass. "
        "It is 1.5 times the budget unless the metric or budgets.rule_out says otherwise, and never less than the "
        "budget.",
        page=f"{_VERDICTS}#the-budget-and-the-allowance",
    ),
    Word(
        name="interval",
        meaning="The brackets behind a change: with 95% confidence the truth lies between the two. "
        "It rests on the same noise as the verdict: that of this run's pairs and of earlier runs made alike.",
        page=f"{_VERDICTS}#from-pairs-to-an-interval",
    ),
    Word(
        name="ruled out",
        meaning="A worsening that the pairs contradict with 95% confidence. "
        '"More than 2.1% worse is ruled out" means: it may be 2% worse, but hardly 2.2%.',
        page=f"{_VERDICTS}#passed-is-a-claim",
    ),
    Word(
        name="typical latency",
        meaning="The median of each endpoint, averaged by the mix of requests (latency.typical). "
        "It moves when most requests of the service get slower.",
        page=f"{_CONFIGURATION}#gate-and-budgets-what-decides-and-what-is-promised",
    ),
    Word(
        name="tail latency",
        meaning="The mean of the slowest requests, except the very slowest (latency.tail). "
        "It describes the same requests as p99 and scatters less.",
        page=f"{_CONFIGURATION}#gate-and-budgets-what-decides-and-what-is-promised",
    ),
    Word(
        name="pair",
        meaning="A fresh JVM of each build, measured side by side. "
        "The pair is one observation, however many requests it answered.",
        page=_GLOSSARY,
    ),
    Word(
        name="noise",
        meaning="How much a metric differs from pair to pair when the builds do not. "
        "Verdicts rest on the noise of this run's pairs and of earlier runs made alike.",
        page=f"{_VERDICTS}#what-earlier-runs-know",
    ),
    Word(
        name="accepted",
        meaning="It regressed, and somebody accepted that until a day named in the configuration. "
        "The verdict stays regressed; the exit code does not count it as a regression.",
        page=f"{_CONFIGURATION}#accepted",
    ),
    Word(
        name="voided",
        meaning="A pair that was left out because something outside the builds disturbed it. "
        "The rules never look at what is compared.",
        page=f"{_VERDICTS}#invalid-and-pairs-that-are-left-out",
    ),
)

#: Every word by its name, in the order in which a report lists them.
WORDS = {word.name: word for word in _ALL}
