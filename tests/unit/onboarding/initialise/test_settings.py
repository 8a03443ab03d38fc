"""Settings of services: what they are called, and what they ask for."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.onboarding.initialise.settings import read_settings

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
    assert read_settings(root).get("server.port") == "2"


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
