# The image of the sidecar in the pods of a cluster: Python, a JDK for jcmd, and Pacecar as this checkout has it.
# docker build --file ci/sidecar.Dockerfile --tag registry.example/pacecar:0.1 .
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jdk-headless python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
COPY requirements/runtime.lock /tmp/runtime.lock
RUN python3 -m pip install --no-cache-dir --no-compile --require-hashes --target /opt/packages -r /tmp/runtime.lock
COPY harness/pacecar /opt/pacecar/pacecar
ENV PYTHONPATH=/opt/pacecar:/opt/packages PYTHONDONTWRITEBYTECODE=1
USER 10001
ENTRYPOINT ["python3", "-m", "pacecar.measurement.deploy.kubernetes.sidecar"]
