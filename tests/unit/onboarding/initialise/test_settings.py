"""Settings of services: what they are called, and what they ask for."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.onboarding.initialise.settings import read_settings
from pacecar.onboarding.initialise.spring_settings import read_spring_settings

FOLDER = "src/main/resources/"


def test_names_are_one_however_they_are_written(project):
    root = project(
        {
            f"{FOLDER}application.properties": """
                # server.port=1
                server.servlet.contextPath = /shop
                quarkus.http.root-path: /a
                """,
            f"{FOLDER}application.yml": """
                micronaut: {server: {context_path: /m}}
                management.endpoints.web.exposure.include: [health, prometheus]
                """,
        }
    )
    found = read_settings(root)
    assert found.get("server.servlet.context-path") == "/shop"
    assert found.get("quarkus.http.rootPath") == "/a"
    assert found.get("micronaut.server.context-path") == "/m"
    assert found.get("management.endpoints.web.exposure.include") == "health,prometheus"
    assert found.get("server.port") == ""


def test_profiles_count_only_where_a_deployed_service_has_them(project):
    root = project(
        {
            f"{FOLDER}application.properties": "%dev.quarkus.http.root-path=/dev\n%prod.quarkus.rest.path=/api\n",
            f"{FOLDER}application.yml": """
                server.servlet.context-path: /all
                ---
                spring.config.activate.on-profile: docker
                server.servlet.context-path: /docker
                """,
        }
    )
    found = read_settings(root)
    assert found.get("quarkus.http.root-path") == ""
    assert found.get("quarkus.rest.path") == "/api"
    assert found.get("server.servlet.context-path") == "/all"


@pytest.mark.parametrize("border", ["#---", "!---", "#---  "])
@pytest.mark.parametrize(
    "condition",
    [
        "spring.config.activate.on-profile=docker",
        "spring.profiles=docker",
        "spring.config.activate.onCloudPlatform=none",
    ],
)
def test_documents_of_properties_may_be_for_a_profile(project, border, condition):
    lines = f"""
        server.port=1
        {border}
        {condition}
        server.port=2
        docker=${{DOCKER_URL}}
        {border}
        server.ssl.enabled=false
        #--- no border
        server.servlet.context-path=/all
        """
    found = read_settings(project({f"{FOLDER}application.properties": lines}))
    assert (found.get("server.port"), found.get("server.servlet.context-path")) == ("1", "/all")
    assert (found.has("server.ssl."), found.variables) == (True, ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("application.properties", "server.port=2"),
        ("application.yml", "server: {port: 2}"),
        ("application.yaml", "server.port: 2"),
    ],
)
def test_settings_in_the_folder_config_count_more(project, name, text):
    root = project({f"{FOLDER}{name}": text.replace("2", "1"), f"{FOLDER}config/{name}": text})
    assert read_spring_settings(root).get("server.port") == "2"


class TestOfSpring:
    """Which of several files counts: https://docs.spring.io/spring-boot/reference/features/external-config.html."""

    @pytest.mark.parametrize("folder", ["", "config/"])
    @pytest.mark.parametrize("ending", ["yml", "yaml"])
    def test_properties_count_more_than_yaml_beside_them(self, project, folder, ending):
        root = project(
            {
                f"{FOLDER}{folder}application.properties": "server.port=1",
                f"{FOLDER}{folder}application.{ending}": "server: {port: 2, servlet.context-path: /shop}",
            }
        )
        found = read_spring_settings(root)
        assert (found.get("server.port"), found.get("server.servlet.context-path")) == ("1", "/shop")

    def test_the_folder_config_counts_more_than_properties(self, project):
        files = {"application.properties": "server.port=1", "config/application.yml": "server.port: 2"}
        root = project({f"{FOLDER}{name}": text for name, text in files.items()})
        assert read_spring_settings(root).get("server.port") == "2"

    def test_to_quarkus_yaml_counts_more(self, project):
        files = {"application.properties": "quarkus.http.root-path=/a", "application.yml": "quarkus.http.root-path: /b"}
        root = project({f"{FOLDER}{name}": text for name, text in files.items()})
        assert read_settings(root).get("quarkus.http.root-path") == "/b"

    @pytest.mark.parametrize(
        "active",
        [
            "spring: {profiles: {active: dev}}",
            "spring.profiles.active: [local, dev]",
            'spring.profiles.active: "${PROFILES:local,dev}"',
            "spring.profiles: {include: dev}",
            "spring.profiles: {active: here, group: {here: [dev]}}",
        ],
    )
    def test_profiles_that_are_on_by_themselves_count(self, project, active):
        root = project(
            {
                f"{FOLDER}application.yml": f"""
                    {active}
                    server.port: 1
                    ---
                    spring.config.activate.on-profile: dev
                    management.server.port: 9
                    ---
                    spring.config.activate.on-profile: prod
                    server.port: 3
                    """,
                f"{FOLDER}application-dev.properties": "server.port=2\nurl=${DEV_URL}",
                f"{FOLDER}application-prod.properties": "server.port=3",
            }
        )
        found = read_spring_settings(root)
        assert (found.get("server.port"), found.get("management.server.port")) == ("2", "9")
        assert found.variables == ("DEV_URL",)

    @pytest.mark.parametrize("active", ["@profiles.of.maven@", "${PROFILE}", "../../etc", "pro d"])
    def test_profiles_that_cannot_be_told_do_not(self, project, active):
        root = project({f"{FOLDER}application.properties": f"spring.profiles.active={active}\nserver.port=1"})
        assert read_spring_settings(root).get("server.port") == "1"

    def test_what_is_read_before_all_others_counts_less(self, project):
        files = {"bootstrap.yml": "{server.port: 1, key: '${CONFIG_KEY}'}", "application.yml": "server.port: 2"}
        found = read_spring_settings(project({f"{FOLDER}{name}": text for name, text in files.items()}))
        assert (found.get("server.port"), found.variables) == ("2", ("CONFIG_KEY",))


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("/${name}/api", "/shop/api"),
        ("${BASE:/${name}}", "/shop"),
        ("${BASE:${OTHER:/x}}", "/x"),
        ("${itself}", ""),
        ("${open", ""),
        ("${far}${far}", ""),
    ],
)
def test_a_value_may_stand_for_others(project, value, meant):
    lines = f"name=shop\nitself=${{itself}}/a\nfar={'x' * 1_500}\nvalue={value}"
    assert read_settings(project({f"{FOLDER}application.properties": lines})).get("value") == meant


def test_variables_without_a_default_are_asked_for(project):
    root = project(
        {
            f"{FOLDER}application.properties": """
                url=${DB_URL}
                user=${DB_USER:shop}
                password=${DB_PASSWORD}
                other=${info.app.name}
                path=${BASE:/b}
                """
        }
    )
    found = read_settings(root)
    assert found.variables == ("DB_PASSWORD", "DB_URL")
    assert found.get("url") == "", "unknown"
    assert found.get("path") == "/b"


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "a: &x [*x]",
        "a: !!python/object/apply:os.system [echo]",
        "? [a]\n: b",
        "x" * 400_000,
        b"\xff\xfe\x00",
        "&a [1,1]: " + "x",
        "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}' if n else 'ha'] * 9)}]\n" for n in range(12)),
    ],
)
def test_settings_that_are_not_to_be_trusted(project, content):
    found = read_settings(project({f"{FOLDER}application.yml": content}))
    assert all(isinstance(value, str) for value in found.values.values())


@given(content=st.binary(max_size=300), name=st.sampled_from(["application.yml", "application.properties"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_whatever_bytes_a_file_holds(tmp_path, content, name):
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    assert all(isinstance(value, str) for value in read_settings(tmp_path).values.values())
    (folder / name).unlink()


def test_a_password_is_a_secret_however_it_is_shortened(proposed, pom):
    settings = "a=${DB_PWD}\nb=${MAIL_PASS}\nc=${PASSENGERS}\nd=${ADMIN_PASSWD}\n"
    text, _ = proposed({"pom.xml": pom(), "src/main/resources/application.properties": settings})
    assert '# PASSENGERS = "…"\n# [target.secrets]' in text
    assert '# DB_PWD = "DB_PWD"\n# MAIL_PASS = "MAIL_PASS"' in text
    assert '# ADMIN_PASSWD = "ADMIN_PASSWD"' in text


PROFILES = """<profiles>
    <profile><id>prod</id><properties><profile.name>prod</profile.name></properties></profile>
    <profile><id>dev</id><activation><activeByDefault>true</activeByDefault></activation>
        <properties><profile.name>${first}</profile.name></properties></profile>
    </profiles><properties><first>dev</first></properties>"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "application.yml",
            "spring:\n  application: {name: '@project.artifactId@'}\n  profiles:\n    active: @profile.name@\n",
        ),
        ("application.yml", "spring.profiles.active: '@profile.name@'\nshop: @gone@\n"),
        ("application.properties", "spring.profiles.active=@profile.name@\n"),
    ],
)
@pytest.mark.parametrize("parent", [True, False])
def test_what_maven_fills_in(project, pom, file, text, parent):
    folder = "shop/" if parent else ""
    own = "<parent><artifactId>whole</artifactId></parent>"
    root = project(
        {
            ".git/HEAD": "",
            **({"pom.xml": pom(PROFILES, artifact="whole")} if parent else {}),
            f"{folder}pom.xml": pom(own if parent else PROFILES),
            f"{folder}{FOLDER}{file}": text,
            f"{folder}{FOLDER}application-dev.yml": "server.servlet.context-path: /dev",
            f"{folder}{FOLDER}application-prod.yml": "server.servlet.context-path: /prod",
        }
    )
    assert read_spring_settings(root / folder).get("server.servlet.context-path") == "/dev"


def test_nothing_is_filled_in_without_maven(project):
    root = project({"build.gradle": "", f"{FOLDER}application.properties": "shop.mail=@shop@\n"})
    assert read_spring_settings(root).get("shop.mail") == "@shop@"
