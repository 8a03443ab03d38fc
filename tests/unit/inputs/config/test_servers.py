"""Servers of the user's in the configuration: addresses, queries, and what budgets may say of them."""

import pytest

from pacecar.model.experiment import Query

SERVER = '[prometheus]\nurl = "http://127.0.0.1:9090"\n'
QUEUE = SERVER + '[metrics.queue]\nquery = "sum(queue_length)"\n'
RATIO = '[[budgets]]\nmetric = "queue"\nworse = '


def test_what_the_file_says_of_prometheus(load, tmp_path):
    asked = load(
        '[prometheus]\nurl = "https://metrics.example.org/prometheus/"\ntargets = "forks.json"\n'
        '[metrics.hit-ratio]\nquery = \'avg(hits{instance="{instance}"})\'\nunit = "%"\nbetter = "higher"\n'
        'compare = "difference"\n[[budgets]]\nmetric = "hit-ratio"\nworse = "2 %"\n'
    )
    assert asked.prometheus.url == "https://metrics.example.org/prometheus"
    assert asked.prometheus.targets == tmp_path / "forks.json"
    assert asked.prometheus.queries == (
        Query(
            name="hit-ratio",
            text='avg(hits{instance="{instance}"})',
            unit="%",
            lower_is_better=False,
            difference=True,
        ),
    )
    assert [budget.relative for budget in asked.budgets] == [0.02]  # two points


def test_without_the_tables_nobody_is_asked_or_told(load):
    assert load().prometheus is None
    assert load().pyroscope is None


def test_profiles_are_filed_under_the_targets_name_or_another(load):
    assert load('[pyroscope]\nurl = "http://[::1]:4040"').pyroscope.service == "orders"
    assert load('[pyroscope]\nurl = "http://p:4040"\nservice = "orders-load"').pyroscope.service == "orders-load"


@pytest.mark.parametrize(
    ("worse", "compare", "unit", "expected"),
    [
        ("10 %", "ratio", "ms", 0.1),
        ("20 ms", "difference", "ms", 20.0),
        ("0.5 s", "difference", "ms", 500.0),
        ("3", "difference", "1", 3.0),
        ("64 KiB", "difference", "B", 65536.0),
    ],
)
def test_a_budget_is_a_fraction_or_an_amount(load, worse, compare, unit, expected):
    (budget,) = load(f'{QUEUE}unit = "{unit}"\ncompare = "{compare}"\n{RATIO}"{worse}"').budgets
    assert budget.relative == pytest.approx(expected)


def test_such_a_metric_can_be_gated(load):
    assert load(f'{QUEUE}[gate]\nmetrics = ["queue"]').gate == ("queue",)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://host", "is not the address of a server"),
        ("host:9090", "is not the address of a server"),
        ("http://", "is not the address of a server"),
        ("http://host:port", "is not the address of a server"),
        ("http://host:99999", "is not the address of a server"),
        ("file:///etc/passwd", "is not the address of a server"),
        ("http://host/?token=x", "without a query"),
        ("http://host/#x", "without a query"),
        ("http://a b/", "without a query"),
        ("http://h\\u0000st", "control characters"),
        ("http://höst", "is not the address of a server"),
    ],
)
@pytest.mark.parametrize("table", ["prometheus", "pyroscope"])
def test_addresses_that_are_none(refusal, table, url, said):
    message = refusal(f'[{table}]\nurl = "{url}"')
    assert f"pacecar.toml line 7, {table}.url: " in message
    assert said in message


def test_a_password_in_an_address_is_refused_and_not_repeated(refusal):
    message = refusal('[pyroscope]\nurl = "https://ada:s3cret@host"')
    assert "give credentials by environment variables" in message
    assert "s3cret" not in message


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[metrics.queue]\nquery = "x"', "metrics.queue: comes from a Prometheus server; set its url in [pr"),
        (f'{SERVER}[metrics.cpu]\nquery = "x"', "metrics.cpu: is the name of a metric that Pacecar measures itself"),
        (f'{SERVER}[metrics.latency]\nquery = "x"', "metrics.latency: is the name of a metric"),
        (f'{SERVER}[metrics."a.b"]\nquery = "x"', '"a.b" is not a short name without dots'),
        (f'{SERVER}[metrics.a]\nquery = ""', "metrics.a.query: must not be empty"),
        (f"{SERVER}[metrics.a]\nunit = '1'", "metrics.a.query: missing"),
        (f"{SERVER}[metrics.a]\nquery = 'x{{instanze}}'", '{instanze} is not filled in; did you mean "instance"?'),
        (f"{SERVER}[metrics.a]\nquery = '{'x' * 4097}'", "longer than 4096 characters"),
        (f'{QUEUE}unit = "kg"', 'metrics.queue.unit: expected "1", "ms", "s", "B" or "%"'),
        (f'{QUEUE}better = "more"', 'metrics.queue.better: expected "lower" or "higher"'),
        (
            f'{QUEUE}better = "higher"\n[[budgets]]\nmetric = "queue"\nmax = "5"',
            "more queue is better; give worse instead",
        ),
        (f'{QUEUE}{RATIO}"0.01 %"', 'budgets.worse: "0.01 %" is outside 0.1 % to 1000 %'),
        (f'{QUEUE}{RATIO}"5"', 'budgets.worse: "5" is not a percentage'),
        (f'{QUEUE}compare = "difference"\n{RATIO}"5 %"', 'budgets.worse: "5 %" is not a plain number'),
        (f'{QUEUE}compare = "difference"\n{RATIO}"-5"', "budgets.worse: must not be negative"),
        (f'{QUEUE}[[budgets]]\nmetric = "quue"\nworse = "5 %"', 'unknown metric "quue"; did you mean "queue"?'),
        (f'{QUEUE}[[budgets]]\nmetric = "queue"\nendpoint = "GET /"\nworse = "5 %"', "measured for the whole service"),
        ('[prometheus]\nurl = "http://p"\ntargets = "no/such/forks.json"', "prometheus.targets: there is no directory"),
        ("[prometheus]\ntargets = 'x'", "prometheus.url: missing"),
    ],
)
def test_what_cannot_be_asked(refusal, more, said):
    assert said in refusal(more)


def test_braces_of_promql_are_left_alone(load):
    query = 'sum by (uri) (rate(x_total{instance="{instance}",uri=~"/a{2}"}[{length}] offset 1ms))'
    (asked,) = load(f"{SERVER}[metrics.a]\nquery = '{query}'").prometheus.queries
    assert asked.text == query
