"""What a Maven project leaves that runs: how its jar or war is called, and whether it holds what it needs."""

import pytest

from support.maven_parts import dependencies, plugin
from support.process_forks import command_of

BOOT = plugin("spring-boot-maven-plugin")


@pytest.mark.parametrize(
    ("name", "artifact"),
    [
        ("<build><finalName>app</finalName></build>", "target/app.jar"),
        ("<build><finalName>${project.artifactId}-x</finalName></build>", "target/shop-x.jar"),
        ("<build><finalName>${artifactId}-${revision}</finalName></build>", "target/shop-*.jar"),
        ("<build><finalName>${a}-${b}</finalName></build>", "target/*.jar"),
        ("<build><finalName>../../etc</finalName></build>", "target/*.jar"),
        ('<build><finalName>a"\n[plan]</finalName></build>', "target/*.jar"),
        ("<name>carts</name><build><finalName>${project.name}</finalName></build>", "target/carts.jar"),
        (
            BOOT.replace("</plugin>", "<configuration><finalName>fat</finalName></configuration></plugin>"),
            "target/fat.jar",
        ),
    ],
)
def test_names_of_the_jar(proposed, pom, name, artifact):
    _, loaded = proposed({"pom.xml": pom(name)})
    assert loaded.source.artifact == artifact


@pytest.mark.parametrize(
    ("format", "artifact"), [("zip", "target/classes"), ("jar", "target/shop-app*.jar"), ("tar.gz", "target/classes")]
)
def test_an_archive_to_be_unpacked_is_not_what_runs(proposed, pom, format, artifact):
    assembly = (
        "<build><plugins><plugin><artifactId>maven-assembly-plugin</artifactId><configuration>"
        "<finalName>shop-app</finalName><descriptors><descriptor>${basedir}/src/assembly/app.xml</descriptor>"
        "</descriptors></configuration></plugin></plugins></build>"
    )
    _, loaded = proposed(
        {
            "pom.xml": pom(assembly),
            "src/assembly/app.xml": f"<assembly><formats><format>{format}</format></formats></assembly>",
            "src/main/java/org/shop/Main.java": "class Main { public static void main(String[] args) { } }",
        }
    )
    assert loaded.source.artifact == artifact


class TestWar:
    """Spring Boot makes wars that start by themselves; what else makes one seldom does."""

    @pytest.mark.parametrize(
        ("plugin", "starts"), [(BOOT, True), ("<build><finalName>shop-*</finalName></build>", False)]
    )
    def test_is_what_runs(self, proposed, pom, plugin, starts):
        text, loaded = proposed({"pom.xml": pom(f"<packaging>war</packaging>{plugin}")})
        assert loaded.source.artifact == "target/shop-*.war"
        assert "-jar" in command_of(loaded.target)
        assert ("GUESS: that the war starts by itself" in text) != starts

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("liberty-maven-plugin", "made for Liberty, whose goal liberty:package -Dinclude=runnable"),
            ("payara-micro-maven-plugin", "made for Payara Micro, whose goal payara-micro:bundle"),
            ("wildfly-jar-maven-plugin", "made for WildFly, whose plugin leaves target/*-bootable.jar"),
            ("maven-war-plugin", "such as Jetty's, with {artifact} and {port} as its arguments"),
        ],
    )
    def test_the_server_that_it_is_made_for_is_told(self, proposed, pom, name, told):
        text, _ = proposed({"pom.xml": pom(f"<packaging>war</packaging>{plugin(name)}")})
        assert told in text

    def test_of_a_parent_with_the_plugin(self, proposed, pom):
        modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
        files = {"pom.xml": pom(modules + BOOT), "web/pom.xml": pom("<packaging>war</packaging>", artifact="web")}
        text, loaded = proposed(files)
        assert loaded.source.artifact == "web/target/web-*.war"
        assert "starts by itself" not in text


@pytest.mark.parametrize(
    ("plugins", "artifact"),
    [
        ("<artifactId>maven-shade-plugin</artifactId><configuration><finalName>all</finalName></configuration>", "all"),
        (
            "<artifactId>maven-shade-plugin</artifactId><executions><execution><configuration><outputFile>"
            "${project.build.directory}/${project.build.finalName}-fat.jar"
            "</outputFile></configuration></execution></executions>",
            "shop-*-fat",
        ),
        ("<artifactId>maven-assembly-plugin</artifactId><configuration><finalName>x</finalName></configuration>", "x*"),
        ("<artifactId>maven-shade-plugin</artifactId>", "shop-*"),
    ],
)
def test_a_packer_may_name_the_jar(proposed, pom, plugins, artifact):
    text, loaded = proposed({"pom.xml": pom(f"<build><plugins><plugin>{plugins}</plugin></plugins></build>")})
    assert loaded.source.artifact == f"target/{artifact}.jar"
    assert "starts by itself" not in text


JAVA_MAIN = "package org.shop;\nclass Shop { public static void main(String[] arguments) { } }"


class TestAJarWithoutItsLibraries:
    """The build lays them beside the classes, where something says which class starts."""

    def test_is_told_where_nothing_does(self, proposed, pom):
        text, loaded = proposed({"pom.xml": pom(dependencies("javalin"))})
        assert "GUESS: that the jar starts by itself: nothing in pom.xml packs the libraries it needs" in text
        assert loaded.source.artifact == "target/shop-*.jar"

    @pytest.mark.parametrize(
        ("path", "source", "started"),
        [
            ("java/org/shop/Shop.java", JAVA_MAIN, "org.shop.Shop"),
            ("java/Shop.java", "class Shop { static void main(String[] a) { } }", "Shop"),
            ("kotlin/org/shop/shop.kt", "package org.shop\n\nfun main() { }\n", "org.shop.ShopKt"),
            ("kotlin/shop.kt", "package org.shop\n\nsuspend fun main() { }\n", "org.shop.ShopKt"),
            ("kotlin/a.kt", '@file:JvmName("Shop")\npackage org.shop\nfun main() { }\n', "org.shop.Shop"),
        ],
    )
    def test_starts_from_a_class_path(self, proposed, pom, path, source, started):
        text, loaded = proposed({"pom.xml": pom(dependencies("javalin")), f"src/main/{path}": source})
        assert loaded.source.artifact == "target/classes"
        assert "-DoutputDirectory=target/classes/libs" in loaded.source.command
        assert list(command_of(loaded.target))[3:6] == ["-cp", "{artifact}:{artifact}/libs/*", started]
        assert "starts" not in text.partition("[target]")[0]

    def test_of_several_classes_one_is_guessed(self, proposed, pom):
        sources = {f"src/main/java/org/shop/{name}/{name}.java": JAVA_MAIN for name in ("tools", "web")}
        text, loaded = proposed({"pom.xml": pom(), "src/main/java/org/shop/Shop.java": JAVA_MAIN, **sources})
        assert "org.shop.Shop" in command_of(loaded.target)
        assert "GUESS: that org.shop.Shop starts it, of 3 with a main method such as org.shop.tools.tools" in text

    def test_of_several_classes_the_one_that_serves_is_taken(self, proposed, pom):
        serving = JAVA_MAIN.replace("{ }", "{ vertx.createHttpServer().listen(8080); }").replace("Shop", "Web")
        sources = {"org/shop/Client.java": JAVA_MAIN, "org/shop/web/deeper/Web.java": serving}
        _, loaded = proposed({"pom.xml": pom(), **{f"src/main/java/{path}": text for path, text in sources.items()}})
        assert "org.shop.web.deeper.Web" in command_of(loaded.target)

    @pytest.mark.parametrize(
        ("configured", "properties"),
        [("org.shop.Web", ""), ("${start}", "<start>org.shop.Web</start>"), ("${exec.mainClass}", "")],
    )
    def test_a_plugin_may_name_the_class(self, proposed, pom, configured, properties):
        parts = plugin("jib-maven-plugin").replace(
            "</plugin>",
            f"<configuration><container><mainClass>{configured}</mainClass></container></configuration></plugin>",
        )
        body = f"<properties>{properties}</properties>{parts}"
        _, loaded = proposed({"pom.xml": pom(body), "src/main/java/org/shop/Shop.java": JAVA_MAIN})
        named = "org.shop.Shop" if configured.startswith("${exec") else "org.shop.Web"
        assert named in command_of(loaded.target)

    @pytest.mark.parametrize("name", ["-Dx=y", "a b", "../x", "1st", '"\n[plan]'])
    def test_what_is_no_class_is_not_started(self, proposed, pom, name):
        parts = plugin("jib-maven-plugin").replace("</plugin>", f"<mainClass>{name}</mainClass></plugin>")
        _, loaded = proposed({"pom.xml": pom(parts)})
        assert "-jar" in command_of(loaded.target)

    def test_in_a_module_it_is_laid_out_there(self, proposed, pom):
        modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
        files = {
            "pom.xml": pom(modules),
            "web/pom.xml": pom(artifact="web"),
            "web/src/main/java/org/shop/Shop.java": JAVA_MAIN,
        }
        _, loaded = proposed(files)
        assert loaded.source.artifact == "web/target/classes"
        assert loaded.source.command[4:8] == ("-pl", "web", "-am", "package")


@pytest.mark.parametrize(
    ("activation", "packs"),
    [
        ("<activeByDefault>true</activeByDefault>", True),
        ("<file><exists>src/main/java</exists></file>", True),
        ("<property><name>fat</name></property>", False),
    ],
)
def test_a_profile_may_pack_the_jar(proposed, pom, activation, packs):
    profile = f"<profiles><profile><activation>{activation}</activation>{BOOT}</profile></profiles>"
    text, _ = proposed({"pom.xml": pom(profile)})
    assert ("GUESS: that the jar starts by itself" not in text) == packs


class TestAParent:
    """What it says of the name of the jar holds for its modules, with their own properties filled in."""

    @pytest.mark.parametrize(
        ("whole", "own", "artifact"),
        [
            ("<finalName>${project.artifactId}</finalName>", "", "web/target/web.jar"),
            ("<finalName>all</finalName>", "", "web/target/all.jar"),
            ("<finalName>all</finalName>", "<build><finalName>own</finalName></build>", "web/target/own.jar"),
            ("", "", "web/target/web-*.jar"),
        ],
    )
    @pytest.mark.parametrize("versioned", [False, True])
    def test_names_the_jar(self, proposed, pom, whole, own, artifact, versioned):
        modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
        parent = "<parent><artifactId>top</artifactId></parent>"
        _, loaded = proposed(
            {
                "pom.xml": pom(f"{modules}<build>{whole}</build>", artifact="top"),
                "web/pom.xml": pom(parent + own, artifact="web"),
                **({".git/HEAD": ""} if versioned else {}),
            }
        )
        assert loaded.source.artifact == artifact

    def test_names_what_its_plugin_packs(self, proposed, pom):
        packed = BOOT.replace("</plugin>", "<configuration><finalName>fat</finalName></configuration></plugin>")
        modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
        own = "<parent><artifactId>top</artifactId></parent><build><finalName>own</finalName></build>"
        files = {"pom.xml": pom(modules + packed, artifact="top"), "web/pom.xml": pom(own, artifact="web")}
        _, loaded = proposed(files)
        assert loaded.source.artifact == "web/target/fat.jar"

    def test_that_is_not_the_parent_names_nothing(self, proposed, pom):
        modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
        whole = pom(f"{modules}<build><finalName>all</finalName></build>", artifact="top")
        _, loaded = proposed({"pom.xml": whole, "web/pom.xml": pom(artifact="web")})
        assert loaded.source.artifact == "web/target/web-*.jar"
