"""Parts of a made-up Gradle build."""

from __future__ import annotations

BOOT = 'plugins { id("org.springframework.boot") }'
MAIN = 'package org.shop; class Main { public static void main(String[] args) { app.get("/a", x); } }'
#: A build of several projects, of which two run.
SEVERAL = {
    "settings.gradle": "include ':common', ':services:carts'\ninclude(\":admin\")\ninclude '../../out'",
    "build.gradle": "subprojects { apply plugin: 'java' }",
    "common/build.gradle": "",
    "admin/build.gradle": BOOT,
    "services/carts/build.gradle": BOOT,
    "services/carts/src/main/java/org/carts/CartController.java": """
        @RestController class Carts { @GetMapping("/carts") void all() {} }""",
}
