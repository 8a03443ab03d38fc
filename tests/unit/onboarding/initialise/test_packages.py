"""Packages that are the project's own."""

import pytest

from pacecar.onboarding.initialise.packages import own_packages


@pytest.mark.parametrize(
    ("files", "packages"),
    [
        (["shop/orders/pricing/A.java", "shop/orders/web/B.java"], ("shop.orders",)),
        (["shop/A.java"], ("shop",)),
        (["com/one/A.java", "com/two/B.java"], ("com.one", "com.two")),
        (["org/eclipse/cargo/A.java", "org/eclipse/paths/B.java"], ("org.eclipse.cargo", "org.eclipse.paths")),
        (["org/eclipse/cargo/a/A.java", "org/eclipse/cargo/b/B.java"], ("org.eclipse.cargo",)),
        (["com/github/me/a/A.java", "com/github/you/B.java"], ("com.github.me", "com.github.you")),
        (
            ["com/one/a/A.java", "org/two/B.java", "net/three/C.java", "io/four/D.java"],
            ("com.one", "io.four", "net.three"),
        ),
        (["A.java"], ()),
        (["not-a-package/A.java"], ()),
        ([], ()),
    ],
)
def test_own_packages(project, files, packages):
    root = project({f"src/main/java/{file}": "" for file in files})
    assert own_packages(root) == packages


def test_kotlin_counts_too(project):
    assert own_packages(project({"src/main/kotlin/shop/web/A.kt": ""})) == ("shop.web",)


def test_folders_of_kotlin_may_leave_out_the_root_of_all_packages(project):
    files = {
        "App.kt": '@file:JvmName("App")\n\npackage org.shop // all of it\n',
        "web/Carts.kt": "/* package org.other */\npackage org.shop.`web`;\n",
    }
    assert own_packages(project({f"src/main/kotlin/{file}": text for file, text in files.items()})) == ("org.shop",)


@pytest.mark.parametrize(
    ("files", "packages"),
    [
        (["app/Main.kt", "app/book/B.kt", "app/index/I.kt"], ("app",)),
        (["app/Main.kt", "app/book/B.kt", "app/index/I.kt", "net/shop/N.kt"], ("app", "net.shop")),
    ],
)
def test_packages_within_another_one_that_has_classes_are_part_of_it(project, files, packages):
    assert own_packages(project({f"src/main/kotlin/{file}": "" for file in files})) == packages


@pytest.mark.parametrize(
    ("build", "file", "counts"),
    [
        ({}, "src/backendMain/kotlin/org/shop/A.kt", True),
        ({}, "src/jvmMain/kotlin/org/shop/A.kt", True),
        ({}, "src/jsMain/kotlin/org/shop/A.kt", False),
        ({}, "src/frontendMain/kotlin/org/shop/A.kt", False),
        (
            {"pom.xml": "<project><build><sourceDirectory>${project.basedir}/src</sourceDirectory></build></project>"},
            "src/org/shop/A.java",
            True,
        ),
        (
            {"build.gradle.kts": 'sourceSets { main { kotlin.srcDirs("source/kotlin") } }'},
            "source/kotlin/org/shop/A.kt",
            True,
        ),
        ({"build.gradle": "sourceSets.main.java.srcDirs = ['code', 'x']"}, "code/org/shop/A.java", True),
        ({"build.gradle": "sourceSets.test.java.srcDirs = ['tests']"}, "tests/org/shop/A.java", False),
        ({"build.gradle": "sourceSets.main.java.srcDir '../out'"}, "../out/org/shop/A.java", False),
    ],
)
def test_sources_may_lie_elsewhere(project, build, file, counts):
    assert own_packages(project({**build, file: ""})) == (("org.shop",) if counts else ())


def test_a_project_within_a_folder_of_sources_is_another_one(project):
    build = {"pom.xml": "<build><sourceDirectory>${basedir}/docs</sourceDirectory></build>"}
    files = {"docs/org/shop/A.java": "", "docs/sample/src/main/java/com/other/B.java": ""}
    assert own_packages(project({**build, **files})) == ("org.shop",)


def test_a_folder_around_the_usual_one_holds_tests_too(project):
    build = {"build.gradle": "sourceSets.main.java.srcDirs = ['src']"}
    files = {"src/main/java/org/shop/A.java": "", "src/test/java/com/other/B.java": ""}
    assert own_packages(project({**build, **files})) == ("org.shop",)
