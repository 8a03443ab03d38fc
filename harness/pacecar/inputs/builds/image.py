"""From a build as the user named it to the images of a compose service and of all that it depends on.

What the service depends on is as the compose file says, the same on both sides. The service itself is an image by tag
or digest, an image that the file's build section makes of a ref, patch or tree, or the file's image with the jar of the
build mounted in it. Tags are settled once for a run: every fork starts the same bytes, whatever is tagged or built
meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact, described, make
from pacecar.inputs.builds.digest import source_key
from pacecar.inputs.builds.git import Repository
from pacecar.inputs.builds.sources import SourceCopy, copied
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system import engine, environment
from pacecar.system.engine import EngineError, compose
from pacecar.system.engine.compose import Resolved
from pacecar.system.engine.compose_secrets import struck_of
from pacecar.system.resources import Resources
from pacecar.text.hidden import Struck
from pacecar.text.units import format_duration

#: The label of images that Pacecar has built, and the folder of their names.
BUILT = "dev.pacecar.image"
_PULL_S = 1800.0


class ComposeService(Protocol):
    """The service of a compose file that a build becomes; see `model.deployment`."""

    @property
    def file(self) -> Path:
        """The compose file."""

    @property
    def service(self) -> str:
        """Its name in that file."""

    @property
    def jar(self) -> str | None:
        """Path in the image at which a build's jar is mounted; None where the build is an image."""

    @property
    def inherit(self) -> tuple[str, ...]:
        """Variables of Pacecar's own environment that Compose gets beside the usual."""


def make_images(
    request: BuildRequest, *, service: ComposeService, source: SourceTree | None, resources: Resources, log_dir: Path
) -> Artifact:
    """The images that a fork of `request` is made of, and its jar where one is mounted into them.

    Args:
        request: what the user named.
        service: the service of the compose file that it becomes.
        source: where the source lies; not needed for an image or a jar.
        resources: of builds, pulls and copies.
        log_dir: where logs are put.

    Raises:
        BuildError: when there is no such build or image, or it cannot be built.
        EngineError: when there is no engine, no Compose, or the compose file is wrong.
    """
    started = time.monotonic()
    compose.version()
    resolved = compose.resolve(service.file, project="pacecar", inherit=service.inherit)
    names = resolved.together(service.service)
    around = _Images(resolved=resolved, resources=resources, log_dir=log_dir, inherit=service.inherit)
    made = _service(request, service=service, source=source, images=around)
    others = {name: around.as_the_file_says(name) for name in names[1:]}
    images = {service.service: made.images[service.service], **others}
    return replace(made, images=images, seconds=time.monotonic() - started)


def forget_images() -> list[str]:
    """Remove the images that Pacecar has built. Returns one line each; none where there is no engine."""
    try:
        built = engine.ask(["image", "ls", "--quiet", "--no-trunc", "--filter", f"label={BUILT}"]).split()
    except EngineError:
        return []
    gone = [image for image in dict.fromkeys(built) if engine.call(["image", "rm", "--force", image])[0] == 0]
    return [f"removed image {image.removeprefix('sha256:')[:12]}" for image in gone]


def _service(request: BuildRequest, *, service: ComposeService, source: SourceTree | None, images: _Images) -> Artifact:
    name = service.service
    if request.kind is BuildKind.IMAGE:
        return _artifact(request, name, images.there(request.value))
    if service.jar is not None:
        jar = make(request, source=source, resources=images.resources, log_dir=images.log_dir)
        return replace(jar, images={name: images.as_the_file_says(name)})
    if request.kind is BuildKind.JAR:
        raise BuildError(
            f"The build {request.label!r} is a jar, and nothing says where in the image of {name} a jar belongs.",
            hint='Set target.compose.jar, such as "/opt/orders/orders.jar"; or name an image: image:NAME:TAG',
        )
    if source is None or not images.resolved.service(name).get("build"):
        raise BuildError(
            f"The build {request.label!r} must be built, but service {name} of {service.file} has no build section.",
            hint="Give it one, or set target.compose.jar, or name an image: image:NAME:TAG",
        )
    log = images.log_dir / f"build-{time.monotonic_ns()}.log"
    with copied(request, source=source, resources=images.resources, log=log) as copy:
        key = source_key(copy, source)
        built, cached = images.built(name, key=key, copy=copy, source=source)
        return replace(_artifact(request, name, built, copy=copy), cached=cached)


def _artifact(request: BuildRequest, name: str, image: str, copy: SourceCopy | None = None) -> Artifact:
    sha256 = image.removeprefix("sha256:")
    built = described(request, sha256=sha256, copy=copy)
    return Artifact(path=None, images={name: image}, sha256=sha256, built=built, seconds=0.0, cached=True)


class _Images:
    """The images of one compose file, by the id under which the engine keeps them."""

    def __init__(self, *, resolved: Resolved, resources: Resources, log_dir: Path, inherit: tuple[str, ...]) -> None:
        self.resolved = resolved
        self.resources = resources
        self.log_dir = log_dir
        self.inherit = inherit

    def there(self, name: str) -> str:
        """The id of an image, fetched when it is not there yet."""
        found = engine.inspect("image", name)
        if found is None:
            log = self.log_dir / f"pull-{time.monotonic_ns()}.log"
            command = [engine.PROGRAM, "pull", "--quiet", "--", name]
            env = environment.of_engine(self.inherit)
            with Struck.of({}, env).out_of_log(log):
                status, child = self.resources.run(command, name="docker pull", log=log, timeout_s=_PULL_S, env=env)
            found = engine.inspect("image", name)
            if status != 0 or found is None:
                why = engine.last_words(child.tail())
                raise BuildError(
                    f"There is no image {name} on this machine, and it cannot be fetched: {why}",
                    hint=f"See which there are: docker images; the log is {log}",
                )
        return str(found["Id"])

    def as_the_file_says(self, name: str) -> str:
        """The id of the image of service `name`, built where the file has a build section for it."""
        service = self.resolved.service(name)
        if not service.get("build"):
            return self.there(str(service.get("image", "")))
        # What its build section reads is not digested here: the engine's own cache knows whether anything changed.
        return self._build(name, dict(service["build"]), tag=f"{name}:as-it-lies")

    def built(self, name: str, *, key: str, copy: SourceCopy, source: SourceTree) -> tuple[str, bool]:
        """The id of service `name` built of `copy`, and whether it had been built before."""
        section = self._moved(name, copy=copy, source=source)
        as_configured = json.dumps(self.resolved.service(name)["build"], sort_keys=True)
        tag = f"{name}:{hashlib.sha256(f'{key}{as_configured}'.encode()).hexdigest()}"
        if found := engine.inspect("image", _named(tag)):
            return str(found["Id"]), True
        return self._build(name, section, tag=tag, timeout_s=source.timeout_s), False

    def _moved(self, name: str, *, copy: SourceCopy, source: SourceTree) -> dict[str, Any]:
        """The build section of `name` with every path in the source's place in the copy."""
        repository = Repository.around(source.root)
        top = (repository.top if repository else source.root).resolve()
        section: Mapping[str, Any] = self.resolved.service(name)["build"]
        context = Path(section["context"])
        if not context.is_absolute() or not context.resolve().is_relative_to(top):
            raise BuildError(
                f"The build context {section['context']} of service {name} is outside {top}, the folder that is "
                f"copied and patched.",
                hint="Set source.root to the folder that holds it.",
            )
        moved: dict[str, Any] = {"context": str(copy.top / context.resolve().relative_to(top))}
        dockerfile = Path(section.get("dockerfile", "Dockerfile"))
        if dockerfile.is_absolute() and dockerfile.is_relative_to(top):
            moved["dockerfile"] = str(copy.top / dockerfile.relative_to(top))
        return moved

    def _build(self, name: str, section: Mapping[str, Any], *, tag: str, timeout_s: float = _PULL_S) -> str:
        overlay = self.resources.folder("image") / "overlay.json"
        build = {**section, "labels": {BUILT: name}}
        overlay.write_text(json.dumps({"services": {name: {"image": _named(tag), "build": build}}}))
        log = self.log_dir / f"build-{time.monotonic_ns()}.log"
        command = [
            *compose.command(self.resolved.file, overlay, project="pacecar"),
            "--progress",
            "plain",
            "build",
            name,
        ]
        env = environment.of_engine(self.inherit)
        with Struck.together((Struck.of({}, env), struck_of(self.resolved, [name]))).out_of_log(log):
            status, child = self.resources.run(command, name=f"build of {name}", log=log, timeout_s=timeout_s, env=env)
        found = engine.inspect("image", _named(tag))
        if status != 0 or found is None:
            ended = f"took longer than {format_duration(timeout_s)}" if status is None else "failed"
            raise BuildError(
                f"The image of service {name} cannot be built: `docker compose build` {ended}: "
                f"{engine.last_words(child.tail())}",
                hint=f"The log is {log}; it ends with:\n{child.tail(8)}",
            )
        return str(found["Id"])


def _named(tag: str) -> str:
    return f"pacecar/{tag}"
