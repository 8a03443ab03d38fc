"""A right file becomes the right shapes."""

import hashlib
from pathlib import Path

import pytest

from pacecar.inputs import config
from pacecar.model.experiment import Budget, Plan, Profiler, Readiness
from pacecar.model.scenario import Endpoint, LoadModel
from pacecar.model.tiers import after_windows
from support.checkout import CHECKOUT
from support.process_forks import command_of

REPOSITORY = CHECKOUT


def test_three_keys_are_enough(load, tmp_path, smallest):
    loaded = load()
    assert loaded.target.name == "orders"
    assert command_of(loaded.target) == ("{java}", "-jar", "{artifact}", "--server.port={port}")
    assert loaded.target.ready == Readiness(path="/ready", timeout_s=60)
    assert loaded.target.directory == tmp_path
    assert loaded.target.port is None
    assert loaded.target.calls is None
    assert loaded.source is None
    assert loaded.scenario.endpoints == (Endpoint(name="GET /", method="GET", path="/", weight=1),)
    assert loaded.plan == Plan(
        pairs=8,
        side_s=35,
        slice_s=2.5,
        gap_s=0.5,
        warmup_s=75,
        burst_s=70,
        burst_users=4,
        seed=1,
        pin=True,
        time_s=1200,
        time_by_default=True,
        warmup_at_most_s=150,
        counted=after_windows(10.0),
    )
    assert loaded.profiler == Profiler()
    assert (loaded.budgets, loaded.gate, loaded.builds) == ((), (), {})
    assert (loaded.baseline, loaded.candidate) == (None, None)
    assert loaded.path == Path("pacecar.toml")
    assert loaded.text == smallest.lstrip()
    assert loaded.sha256 == hashlib.sha256(smallest.encode()).hexdigest()


@pytest.mark.parametrize(
    ("rate", "more", "users"),
    [
        ("150/s", "", 4),
        ("1400/s", "", 22),
        ("2000/s", "", 32),
        ("5000/s", "", 32),
        ("2000/s", "[plan]\nburst_users = 7", 7),
    ],
)
def test_as_many_users_burst_as_requests_wait_behind_a_pause(load, rate, more, users):
    assert load(f'[scenario]\nrate = "{rate}"\n{more}').plan.burst_users == users


def test_every_table_arrives(load, tmp_path):
    (tmp_path / "service").mkdir()
    loaded = load(
        """
        ready_timeout = "2 min"
        metrics = "/metrics"
        application = ["shop.orders"]
        calls = true
        port = 8081
        [target.env]
        MODE = "test"
        [target.secrets]
        DB_PASSWORD = "ORDERS_DB_PASSWORD"
        [target.hooks]
        setup = [["./seed.sh", "small"]]
        ready = [["./add-orders.sh", "{port}"]]
        [source]
        root = "service"
        command = ["make", "jar"]
        artifact = "build/libs/*.jar"
        timeout = "20 min"
        [builds]
        baseline = "ref:main"
        candidate = "no-agent"
        [builds.named.no-agent]
        build = "tree:service"
        profiler = false
        jvm_args = ["-XX:+UseParallelGC"]
        env = { A = "b" }
        [scenario]
        model = "closed"
        users = 20
        think_time = "250 ms"
        [[scenario.endpoints]]
        name = "POST /orders"
        method = "POST"
        path = "/orders"
        body = '{"customer": ${int(1,9)}}'
        headers = { Content-Type = "application/json" }
        [plan]
        pairs = 2
        side = "2 s"
        warmup = "3 s"
        [profiler]
        cpu_interval = "5 ms"
        allocation = "1 MiB"
        [gate]
        metrics = ["latency.p99  of POST /orders", "cpu"]
        [[budgets]]
        metric = "latency.p99"
        endpoint = "POST /orders"
        worse = "10 %"
        max = "0.2 s"
        [[budgets]]
        metric = "metrics.series"
        max = "2000"
        """
    )
    assert (loaded.target.port, loaded.target.calls) == (8081, True)
    assert loaded.target.env == {"MODE": "test"}
    assert loaded.target.secrets == {"DB_PASSWORD": "ORDERS_DB_PASSWORD"}
    assert loaded.target.setup == (("./seed.sh", "small"),)
    assert loaded.target.once_ready == (("./add-orders.sh", "{port}"),)
    assert loaded.source.root == tmp_path / "service"
    assert loaded.source.timeout_s == 1200
    assert (loaded.baseline, loaded.candidate) == ("ref:main", "no-agent")
    assert loaded.builds["no-agent"] == config.BuildOptions(
        build="tree:service", profiler=False, jvm_args=("-XX:+UseParallelGC",), env={"A": "b"}
    )
    assert loaded.scenario.model is LoadModel.CLOSED
    assert (loaded.scenario.users, loaded.scenario.think_time_s) == (20, 0.25)
    assert loaded.scenario.endpoints[0].headers == {"Content-Type": "application/json"}
    assert loaded.plan.slice_s == 2, "the default slice is cut to the side"
    assert loaded.plan.burst_s == 3, "the default burst is cut to the warm-up"
    assert loaded.profiler == Profiler(cpu_interval_ms=5, allocation_bytes=1_048_576)
    assert loaded.gate == ("latency.p99 of POST /orders", "cpu")
    assert loaded.budgets == (
        Budget(metric="latency.p99", endpoint="POST /orders", relative=0.1, absolute=200),
        Budget(metric="metrics.series", absolute=2000),
    )


def test_a_header_may_hold_a_token_or_nothing(load):
    token = f"Bearer {'é' * 4000}.abc"
    loaded = load(
        f"""
        [[scenario.endpoints]]
        name = "GET /orders"
        path = "/orders"
        headers = {{ Authorization = "{token}", X-Empty = "", X-Tab = "a\\tb" }}
        """
    )
    assert loaded.scenario.endpoints[0].headers == {"Authorization": token, "X-Empty": "", "X-Tab": "a\tb"}


def test_a_simulation_of_ones_own(load, tmp_path):
    (tmp_path / "load").mkdir()
    loaded = load(
        """
        [scenario]
        simulation = "shop.Browsing"
        module = "load"
        sliced = false
        [scenario.properties]
        baseUrl = "{url}"
        [gate]
        metrics = ["latency.p99 of whatever it calls it"]
        """
    )
    assert loaded.scenario.module == tmp_path / "load"
    assert loaded.scenario.properties == {"baseUrl": "{url}"}
    assert loaded.scenario.endpoints == ()


def test_the_configuration_of_the_sample_service():
    loaded = config.load(REPOSITORY / "pacecar.toml")
    assert loaded.source.root == REPOSITORY / "targets" / "orders"
    assert {endpoint.name: endpoint.weight for endpoint in loaded.scenario.endpoints} == {
        "GET /orders": 40,
        "GET /orders/{id}": 25,
        "POST /orders": 10,
        "GET /price": 15,
        "GET /report": 10,
    }
    assert (loaded.plan.pairs, loaded.plan.side_s, loaded.plan.warmup_s, loaded.scenario.rate_per_s) == (6, 20, 50, 150)


def test_a_text_can_be_parsed_where_its_paths_are_gone(smallest):
    text = smallest + '[source]\nroot = "nowhere"\n'
    parsed = config.parse(text, Path("/gone/pacecar.toml"))
    assert parsed.source.root == Path("/gone/nowhere")


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(load, smallest):
    assert load(whole="\ufeff" + smallest.replace("\n", "\r\n")).target.name == "orders"


class TestOverrides:
    def test_replace_and_add_values(self, load):
        loaded = load(
            '[plan]\npairs = 4\nside = "10 s"\n',
            overrides={"plan.pairs": "2", "scenario.rate": "5/s", "plan.pin": "false", "target.application": '["a.b"]'},
        )
        assert (loaded.plan.pairs, loaded.plan.side_s, loaded.plan.pin) == (2, 10, False)
        assert loaded.scenario.rate_per_s == 5
        assert loaded.target.application == ("a.b",)

    def test_text_stays_text(self, load):
        loaded = load(overrides={"target.name": "7", "target.env.WORKERS": "4", "builds.named.x.build": "ref:main"})
        assert loaded.target.name == "7"
        assert loaded.target.env == {"WORKERS": "4"}
        assert loaded.builds["x"].build == "ref:main"

    def test_change_the_digest(self, load):
        assert load().sha256 != load(overrides={"plan.pairs": "2"}).sha256

    @pytest.mark.parametrize(
        ("overrides", "message"),
        [
            ({"plan.pair": "2"}, 'override plan.pair: unknown key; did you mean "pairs"?'),
            ({"plan.pairs": "many"}, "override plan.pairs: expected a whole number"),
            ({"plan.side": "20"}, 'override plan.side: expected a duration with its unit in quotes, such as "20 s"'),
            ({"scenario.endpoints.0.weight": "3"}, "override scenario.endpoints.0.weight: unknown key"),
            ({"a." * 5000: "3"}, "unknown key"),
            ({"": "3"}, "unknown key"),
        ],
    )
    def test_are_refused_like_the_file(self, refusal, overrides, message):
        assert message in refusal(overrides=overrides)

    def test_do_not_hide_where_the_file_is_wrong(self, refusal):
        assert refusal('[plan]\nside = "1 d"', overrides={"plan.pairs": "2"}).startswith(
            "pacecar.toml line 7, plan.side"
        )
