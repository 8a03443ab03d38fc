# The image for the sidecar in the pods of a cluster, and for the job that measures there: Python, a JDK, Pacecar.
# docker build --file ci/sidecar.Dockerfile --tag registry.example/pacecar:0.1 .
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jdk-headless python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
COPY requirements/extras.lock requirements/build.lock /tmp/
RUN python3 -m pip install --no-cache-dir --require-hashes --target /opt/packages -r /tmp/extras.lock
COPY pyproject.toml README.md LICENSE /tmp/pacecar/
COPY harness/pacecar /tmp/pacecar/harness/pacecar
COPY harness/agent /tmp/pacecar/harness/agent
COPY reports/templates /tmp/pacecar/reports/templates
COPY reports/schemas /tmp/pacecar/reports/schemas
COPY reports/web/dist /tmp/pacecar/reports/web/dist
COPY scenarios/pom.xml /tmp/pacecar/scenarios/pom.xml
COPY scenarios/src /tmp/pacecar/scenarios/src
# As a wheel, which contains the report's templates and the sources of the kit.
RUN python3 -m pip install --no-cache-dir --require-hashes --target /tmp/build -r /tmp/build.lock \
 && PYTHONPATH=/tmp/build python3 -m pip install --no-cache-dir --no-deps --no-build-isolation --target /opt/pacecar /tmp/pacecar \
 && rm -rf /tmp/build /tmp/pacecar
ENV PYTHONPATH=/opt/pacecar:/opt/packages PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8
USER 10001
ENTRYPOINT ["python3", "-m", "pacecar"]
