# `make compare` and `make test` do all the setup in a fresh clone; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
WEB := reports/web
WORKFLOWS := .github/workflows/*.yml ci/workflows/*.yml
ACTIONS := ci/action.yml ci/comment/action.yml .github/dependabot.yml
# Every page that a person wrote.
MARKDOWN := *.md .github docs benchmarks/README.md benchmarks/*/README.md benchmarks/*/results/*/README.md \
  ci reports/README.md scenarios targets tests

# Maven modules with tests of their own.
JAVA := scenarios harness/agent $(patsubst %/pom.xml,%,$(wildcard targets/*/pom.xml))

# What `make compare` measures. Each can be set on the command line.
BASELINE ?=
CANDIDATE ?=
CONFIG ?= pacecar.toml
FAIL_ON ?= nothing
# What `make cases` measures: one target, or all if this is empty.
CASE ?=
# How a fork is deployed: process, compose (docker-compose.yml, where each fork has its own PostgreSQL), or kubernetes.
DEPLOY ?= process
ARGS ?=

# Options of pytest with several processes. They keep the order of tests/conftest.py, which puts long tests first.
SPREAD := --dist loadgroup --no-loadscope-reorder

.PHONY: help
help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

.PHONY: compare
compare: .venv/ready ## compare two builds of the sample service: BASELINE=… CANDIDATE=… CONFIG=… FAIL_ON=regression DEPLOY=compose|kubernetes
	$(if $(filter compose,$(DEPLOY)),ORDERS_STAGE=jre) $(BIN)/pacecar compare --config $(CONFIG) --fail-on $(FAIL_ON) \
	  $(if $(filter-out process,$(DEPLOY)),--set target.deploy=$(DEPLOY)) \
	  $(if $(BASELINE),--baseline "$(BASELINE)") $(if $(CANDIDATE),--candidate "$(CANDIDATE)") $(ARGS)

.PHONY: cases
cases: .venv/ready ## carry out the investigations in docs/cases, three times each: CASE=basket
	$(BIN)/python -m benchmarks.cases $(CASE)

.PHONY: watch
watch: ## run the sample service with PostgreSQL, Pyroscope and Prometheus in containers, until Ctrl-C
	ORDERS_JAVA_OPTIONS=-javaagent:/opt/pyroscope/pyroscope.jar docker compose --profile watch up --build

.PHONY: test
test: .venv/dev-ready ## run all tests; if a part is missing, say which are left out
	@PYTHONPATH=tests $(BIN)/python -m support.left_out
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web-test; fi
	$(MAKE) --no-print-directory $(JAVA:%=verify-%)
	$(BIN)/pytest --numprocesses 2 $(SPREAD) tests/unit
	$(BIN)/pytest --numprocesses 2 $(SPREAD) tests/browser tests/integration
	$(BIN)/pytest --numprocesses 3 $(SPREAD) -m shares_machine tests/end_to_end
	$(BIN)/pytest --durations 15 -m "not shares_machine" tests/end_to_end

.PHONY: lint
lint: .venv/dev-ready ## check style, types, layers and workflows
	$(BIN)/ruff format --check harness tests benchmarks
	$(BIN)/ruff check harness tests benchmarks
	$(BIN)/mypy
	$(BIN)/mdformat --check $(MARKDOWN)
	PYTHONPATH=harness $(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web-lint; \
	 else echo "left out: TypeScript checks (no npm; apt-get install nodejs npm)"; fi
	@if command -v mvn >/dev/null; then mvn -q -B -ntp -f .java-format.xml spotless:check; \
	 else echo "left out: the format of Java (no mvn; apt-get install maven)"; fi
	@PYTHONPATH=tests $(BIN)/python -m support.go_programs actionlint $(WORKFLOWS)
	@# Without the network. Findings of low severity do not change the exit code.
	$(BIN)/zizmor --quiet --offline --strict-collection --config .github/zizmor.yml --min-severity medium $(WORKFLOWS) $(ACTIONS)

.PHONY: web
web: $(WEB)/node_modules/.package-lock.json ## rebuild the report's bundle
	cd $(WEB) && npm run --silent build

.PHONY: format
format: .venv/dev-ready ## format Python, Markdown, Java and TypeScript as `make lint` requires
	$(BIN)/ruff format harness tests benchmarks
	$(BIN)/mdformat $(MARKDOWN)
	mvn -q -B -ntp -f .java-format.xml spotless:apply
	cd $(WEB) && npm run --silent format

# Verify one module: `make verify-scenarios`, `make verify-targets/orders`.
.PHONY: $(JAVA:%=verify-%)
$(JAVA:%=verify-%): verify-%:
	mvn -q -B -ntp -f $*/pom.xml verify

.PHONY: web-test web-lint
web-test: $(WEB)/node_modules/.package-lock.json
	cd $(WEB) && npm test --silent && npm run --silent verify
web-lint: $(WEB)/node_modules/.package-lock.json
	cd $(WEB) && npm run --silent check

.PHONY: lock
lock: .venv/dev-ready ## rewrite the lock files: Python packages, and the jars that are loaded into JVMs
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --all-extras -c requirements/runtime.lock -o requirements/extras.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header pyproject.toml --group dev -o requirements/dev.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --group release -o requirements/release.lock
	@# These two are installed beside others, so packages that they share must have the same versions.
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --group build -c requirements/dev.lock -o requirements/build.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --group fuzz -c requirements/dev.lock -o requirements/fuzz.lock
	$(BIN)/python -m pacecar.inputs.toolchain

.PHONY: clean
clean: ## remove the setup, build products, and whatever a killed run left behind
	@if [ -x $(BIN)/pacecar ]; then $(BIN)/pacecar clean; fi
	rm -rf .venv $(WEB)/node_modules scenarios/target harness/agent/target targets/*/target

# The harness is installed from this checkout, so edits take effect at once. The packages that build it are locked, too.
# So it is built without an isolated environment, into which pip would fetch the newest versions.
.venv/ready: requirements/runtime.lock requirements/build.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Pacecar needs Python 3.11 or newer; try: make PYTHON=python3.12 …"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev-ready: .venv/ready requirements/dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

.venv/fuzz-ready: .venv/dev-ready requirements/fuzz.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/fuzz.lock
	@touch $@

# Not `npm ci`: newer versions refuse a lock file without the optional binaries of other platforms.
$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	cd $(WEB) && npm install --silent --no-save --no-audit --no-fund
