"""A wrong file becomes one sentence with file, line and key."""

import os

import pytest

from pacecar.inputs import config
from support.process_forks import command_of

ENDPOINT = '[[scenario.endpoints]]\nname = "GET /orders"\npath = "/orders"\n'
GATE = f"{ENDPOINT}[gate]\nmetrics = "
ACCEPTED = f'{ENDPOINT}[[accepted]]\nreason = "worth it"\nby = "Ada"\nuntil = 2027-01-31\nmetric = '
BUDGET = f'{ENDPOINT}[[budgets]]\nworse = "5 %"\nmetric = '


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[plan]\nslise = "5 s"', 'pacecar.toml line 7, plan.slise: unknown key; did you mean "slice"?'),
        ("[plans]", 'pacecar.toml line 6, plans: unknown key; did you mean "plan"?'),
        ('[plan]\nrate = "5/s"', "pacecar.toml line 7, plan.rate: unknown key here; it belongs in [scenario]"),
        ('[plan]\n"\\u001b[31m" = 1', "pacecar.toml line 7, plan.?[31m: unknown key"),
        ("[plan]\nside = 20", 'plan.side: expected a duration with its unit in quotes, such as "20 s"'),
        ('[plan]\nside = "20 parsecs"', 'plan.side: "20 parsecs" is not a duration; write it as "20 ms" or "20 s"'),
        ('[plan]\nside = "2 h"', 'plan.side: "2 h" is outside 1 s to 1 h'),
        ("[plan]\npairs = 101", "plan.pairs: must be at most 100"),
        ("[plan]\npairs = 2.5", "plan.pairs: expected a whole number"),
        ("[plan]\npairs = true", "plan.pairs: expected a whole number"),
        ("[plan]\nburst_users = 0", "plan.burst_users: "),
        ("[plan]\ncounted = 10", 'plan.counted: expected a duration with its unit in quotes, such as "10 s", or false'),
        ("[plan]\ncounted = true", "pacecar.toml line 7, plan.counted: expected a duration with its unit in quotes"),
        ('[plan]\ncounted = "1 h"', 'plan.counted: "1 h" is outside 1 s to 2 min; false switches it off'),
        ('[plan]\ncounted = "much"', 'plan.counted: "much" is not a duration'),
        ('[plan]\npin = "yes"', "plan.pin: expected true or false"),
        ("plan = 5\n", "target.plan: unknown key"),
        ('[plan]\nescalate = "always"', "line 7, plan.escalate: expected a table"),
        ('[plan.escalate]\non = "always"', "line 7, plan.escalate.on: expected a list in [ ]"),
        (
            '[plan.escalate]\non = ["regresed"]',
            'line 7, plan.escalate.on: expected "regressed", "improved", "passed", "inconclusive", "invalid", "always" '
            'or "never"; did you mean "regressed"?',
        ),
        (
            '[plan.escalate]\non = ["regressed", "never"]',
            'line 7, plan.escalate.on: "never" excludes all other entries; remove it or the others',
        ),
        (
            '[plan.escalate]\non = ["always"]\nclasses = ["shop"]',
            'line 8, plan.escalate.classes: does not count beside on = ["always"]; remove one of the two',
        ),
        (
            '[plan.escalate]\nclasses = ["shop/orders"]',
            'line 7, plan.escalate.classes: "shop/orders" is not a Java name, in which * stands for anything',
        ),
        ('[plan.escalate]\nclasses = [""]', "line 7, plan.escalate.classes: must not be empty"),
        ('[plan.escalate]\nclasses = ["shop.[a-z]"]', "plan.escalate.classes: "),
        ('[plan.escalate]\nclass = ["shop"]', 'plan.escalate.class: unknown key; did you mean "classes"?'),
        ("[target.hooks]\nsetup = [[]]", "line 7, target.hooks.setup: must not be empty"),
        ('[target.hooks]\nsetup = ["seed.sh"]', "line 7, target.hooks.setup: expected a list in [ ]"),
        ("[target.env]\nA = 1", "line 7, target.env.A: expected text in quotes"),
        ('[target.env]\n"A B" = "1"', 'line 7, target.env.A B: "A B" is not the name of an environment variable'),
        ('[target.secrets]\nA = "$B"', 'target.secrets.A: "$B" is not the name of an environment variable'),
        ("port = 80", 'target.port: expected "free" or a port number from 1024 to 65535'),
        ('metrics = "http://example.org/metrics"', 'target.metrics: "http://example.org/metrics" is not a path of the'),
        ('metrics = "//example.org/metrics"', "without a host"),
        ('[scenario]\nrate = "20001/s"', 'scenario.rate: "20001/s" is outside 0.1/s to 20000/s'),
        ('[scenario]\nrate = "-1/s"', 'scenario.rate: "-1/s" is outside'),
        (
            '[scenario]\nmodel = "opne"',
            'scenario.model: expected "open", "closed" or "staircase"; did you mean "open"?',
        ),
        ('[scenario]\nmodel = "closed"\nusers = 2001', "scenario.users: must be at most 2000"),
        (f"{ENDPOINT}weight = 0", "line 9, scenario.endpoints.weight: must be more than 0"),
        (f"{ENDPOINT}weight = inf", "line 9, scenario.endpoints.weight: "),
        (f'{ENDPOINT}method = "GETT"', 'did you mean "GET"?'),
        (f"{ENDPOINT}[[scenario.endpoints]]\nname = 'x'", "line 9, scenario.endpoints.path: missing, and it has no"),
        (
            f"{ENDPOINT}body = '${{itn(1,2)}}'",
            '"${itn(1,2)}" is neither ${int(1,100)} nor ${pick(a,b)}; did you mean "int"?',
        ),
        (f"{ENDPOINT}body = '${{int(2,1)}}'", '"${int(2,1)}" puts the larger number first'),
        (f"{ENDPOINT}body = '${{int(1,2)'", '"${int(1,2)" opens a placeholder and does not close it'),
        (f'{ENDPOINT}headers.X-Key = "a\\r\\nb"', "line 9, scenario.endpoints.headers.X-Key: holds control characters"),
        (f'{ENDPOINT}headers.X-Key = "{"é" * 4097}"', "line 9, scenario.endpoints.headers.X-Key: longer than 8 KiB"),
        ('[source]\nartifact = "../x.jar"', 'source.artifact: "../x.jar" must lie below source.root'),
        ('[source]\nartifact = "*/*.jar"', "holds more than one *"),
        (
            '[[budgets]]\nmetric = "cpu"\nworse = 0.1',
            "budgets.worse: expected a percentage with its unit in quotes, such as",
        ),
        (
            '[[accepted]]\nmetric = "cpu"\nreason = "x"\nby = "y"\nuntil = "2027-01-31"',
            "accepted.until: expected a day without quotes, such as 2027-01-31",
        ),
        ("[builds.named.x]", "line 6, builds.named.x.build: missing"),
    ],
)
def test_one_key_is_wrong(refusal, more, message):
    assert message in refusal(more)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[target.env]\nA = "1"\n[target.secrets]\nA = "B"', "target.secrets.A: is also in target.env"),
        ("[scenario]\nusers = 5", 'scenario.users: belongs to model = "closed", but the model is "open"'),
        (
            '[scenario]\nmodel = "closed"\nrate = "5/s"',
            'scenario.rate: belongs to model = "open" or "staircase", but the model is "closed"',
        ),
        ('[scenario]\nwithin = "60 ms"', 'scenario.within: belongs to model = "staircase", but the model is "open"'),
        ('[scenario]\nmodel = "staircase"', "scenario.model: also needs scenario.within, the latency that 95% of the"),
        (
            '[scenario]\nmodel = "staircase"\nwithin = "60 ms"\nrate = "2/s"',
            "scenario.rate: a staircase begins with 5/s or more",
        ),
        (
            '[scenario]\nmodel = "staircase"\nwithin = "60 ms"\nsliced = false\nsimulation = "a.B"\nmodule = "."',
            "scenario.model: raises the rate step by step, which needs Pacecar's kit",
        ),
        (
            '[scenario]\ninjectors = 2\nsliced = false\nsimulation = "a.B"\nmodule = "."',
            "scenario.injectors: more than one needs Pacecar's kit",
        ),
        ("[scenario]\ninjectors = 65", "scenario.injectors: "),
        ('[gate]\nmetrics = ["capacity"]', 'capacity is found step by step; set scenario.model = "staircase"'),
        ('[scenario]\nmodule = "."\njar = "x.jar"', "scenario.jar: give module or jar, not both"),
        ('[scenario]\nmodule = "."', "scenario.module: also needs scenario.simulation"),
        ('[scenario]\nsimulation = "a.B"', "scenario.simulation: also needs scenario.module or scenario.jar"),
        ("[scenario]\nsliced = false", "scenario.sliced: false is for a simulation of your own"),
        (
            f'{ENDPOINT}[scenario]\nsliced = false\nsimulation = "a.B"\nmodule = "."',
            "scenario.endpoints: only a simulation with the kit knows the endpoints",
        ),
        ('[scenario.properties]\na = "b"', "scenario.properties: only a simulation with sliced = false"),
        (ENDPOINT + ENDPOINT, 'line 10, scenario.endpoints.name: "GET /orders" occurs twice'),
        (
            '[scenario]\nsliced = false\nsimulation = "a.B"\nmodule = "."\n[profiler]\ntraces = true',
            "profiler.traces: needs requests that begin a trace, which Pacecar's kit sends",
        ),
        ('[plan]\nside = "2 s"\nslice = "5 s"', "line 8, plan.slice: is longer than plan.side"),
        ('[plan]\nwarmup = "2 s"\nburst = "5 s"', "plan.burst: is longer than plan.warmup"),
        ('[plan]\nwarmup = "9 s"\nwarmup_at_most = "5 s"', "plan.warmup_at_most: is shorter than plan.warmup"),
        ('[plan]\nside = "1 h"\nslice = "1 s"', "plan.slice: plan.side would be cut into more than 1000 slices"),
        ('[plan]\nside = "1 h"\nslice = "5 s"\ngap = "1 min"', "plan: one pair would take more than 4 h 00 min"),
        ('[scenario]\nrate = "20000/s"\n[plan]\nside = "5 min"', "scenario.rate: makes 15,000,000 requests per pair"),
        (f'{GATE}["latency.p999"]', 'gate.metrics: unknown metric "latency.p999"; did you mean "latency.p99"?'),
        (f'{GATE}["cpu",\n "rss of GET /orders"]', "line 11, gate.metrics: rss is measured for the whole service"),
        (f'{GATE}["latency.p99 of GET /order"]', 'unknown endpoint "GET /order"; did you mean "GET /orders"?'),
        (f'{GATE}["server.latency.p99"]', "server.latency.p99 is read from the service's metrics page"),
        (f'{GATE}["connections.taken"]', "connections.taken is read from the service's metrics page"),
        (f'calls = false\n{GATE}["calls of GET /orders"]', "calls is read from the service's metrics page"),
        (
            f'calls = false\n{GATE}["statements.batched"]',
            "statements.batched is counted in the service's JVM; leave out",
        ),
        ('calls = "yes"', "target.calls: "),
        (f'{GATE}[" "]', "gate.metrics: must not be empty"),
        (f'{BUDGET}"latency"', 'line 11, budgets.metric: unknown metric "latency"; did you mean "latency.'),
        (
            f'{BUDGET}"latency.p99"\nendpoint = "GET /odrers"',
            'line 12, budgets.endpoint: unknown endpoint "GET /odrers"',
        ),
        (f'{BUDGET}"cpu"\n[[budgets]]\nmetric = "cpu"\nmax = "1 ms"', "line 13, budgets.metric: has a budget already"),
        (f'{BUDGET}"cpu"\nmax = "1 MiB"', 'line 12, budgets.max: "1 MiB" is not a duration'),
        (f'{BUDGET}"cpu"\nmax = "-1 ms"', "budgets.max: must not be negative"),
        ('[[budgets]]\nmetric = "cpu"', "line 6, budgets: sets no limit"),
        (f'{ACCEPTED}"cpuu"', 'accepted.metric: unknown metric "cpuu"; did you mean "cpu"'),
        (f'{ACCEPTED}"latency.p99"\nendpoint = "GET /odrers"', 'accepted.endpoint: unknown endpoint "GET /odrers"'),
        (
            f'{ACCEPTED}"cpu"\n[[accepted]]\nmetric = "cpu"\nreason = "x"\nby = "y"\nuntil = 2027-01-31',
            "accepted.metric: is accepted already",
        ),
    ],
)
def test_two_keys_contradict_each_other(refusal, more, message):
    assert message in refusal(more)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('["java", "-jar", "app.jar"]', "target.command: does not hold {artifact}"),
        ('["java", "-jar", "{artefact}"]', 'target.command: {artefact} is not filled in; did you mean "artifact"?'),
        ('["java", "-jar", "{artifact}"]', "target.command: does not hold {port}"),
        ('["java", 5]', "target.command: expected text in quotes"),
        ("[]", "target.command: must not be empty"),
        ('"java -jar"', "target.command: expected a list in [ ]"),
    ],
)
def test_the_command_must_run_the_build_on_its_port(refusal, command, message):
    assert message in refusal(whole=f'[target]\nname = "x"\nready = "/"\ncommand = {command}\n')


def test_a_wrapper_may_be_told_by_its_environment(load):
    head = '[target]\nname = "x"\nready = "/"\ncommand = ["./run.sh"]\n'
    loaded = load(whole=f'{head}env = {{ JAR = "{{artifact}}", PORT = "{{port}}" }}')
    assert command_of(loaded.target) == ("./run.sh",)


def test_braces_that_are_no_placeholders_are_left_alone(load, smallest):
    assert load(whole=smallest.replace('"-jar"', '"-Dx={}", "-Dy={A_B}", "-jar"'))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('directory = "nowhere"', "line 6, target.directory: there is no directory"),
        ('[source]\nroot = "pacecar.toml"', "source.root: there is no directory"),
        ('[scenario]\nsimulation = "a.B"\nmodule = "nowhere"', "scenario.module: there is no directory"),
        ('[scenario]\nsimulation = "a.B"\njar = "load.jar"', "scenario.jar: there is no file"),
        (f'[source]\nroot = "{"x" * 199}"', "source.root: there is no directory"),
        ('[source]\nroot = "a\\u0000b"', "source.root: holds control characters"),
    ],
)
def test_a_path_that_leads_nowhere(refusal, more, message):
    assert message in refusal(more)


def test_an_unknown_key_is_named_before_the_missing_one_it_was_meant_to_be(refusal, smallest):
    message = refusal(whole=smallest.replace("ready =", "raedy ="))
    assert message == 'pacecar.toml line 5, target.raedy: unknown key; did you mean "ready"?'


def test_a_missing_key_is_looked_for_in_its_table(refusal):
    assert refusal(whole='\n[target]\nname = "x"\n') == (
        "pacecar.toml line 2, target.ready: missing, and it has no default"
    )
    assert refusal(whole="") == "pacecar.toml, target: missing, and it has no default"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[target]\nname =\n", "pacecar.toml line 2: not valid TOML: invalid value"),
        ("[target\n", "pacecar.toml line 1: not valid TOML: "),
        ('x = "', "pacecar.toml at its end: not valid TOML: unterminated string"),
        ("x = " + "9" * 5000, "pacecar.toml: not valid TOML: "),
        ("x = " + "[" * 5000, "pacecar.toml: lists or tables are nested too deeply"),
    ],
)
def test_what_is_not_toml(refusal, text, message):
    assert message in refusal(whole=text)


class TestFiles:
    def refused(self, path):
        with pytest.raises(config.ConfigError) as caught:
            config.load(path)
        return caught.value

    def test_a_missing_file_is_named_with_the_command_that_writes_one(self, tmp_path):
        error = self.refused(tmp_path / "pacecar.toml")
        assert error.message == f"{tmp_path}/pacecar.toml: there is no such file."
        assert "pacecar init" in str(error.hint)

    def test_a_directory(self, tmp_path):
        assert self.refused(tmp_path).message == f"{tmp_path} is a directory."

    def test_a_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        assert "not a regular file" in self.refused(tmp_path / "pipe").message

    def test_a_huge_file(self, tmp_path):
        (tmp_path / "x.toml").write_bytes(b"#" * 10_000_000)
        assert "larger than 256 KiB" in self.refused(tmp_path / "x.toml").message

    def test_a_file_that_is_no_text(self, tmp_path):
        (tmp_path / "x.toml").write_bytes(b"# fine\n# \xff\n")
        assert self.refused(tmp_path / "x.toml").message.endswith("x.toml line 2: not UTF-8 text.")

    @pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
    def test_a_name_no_file_can_have(self, tmp_path, name):
        assert "cannot be read" in self.refused(tmp_path / name).message
