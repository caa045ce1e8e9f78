# Everything that the project can do, by name. `make` alone shows this list.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Test processes: twice the cores of a small machine, as tests wait as much as they work.
JOBS ?= 4
# Where `make test-slow` and `make test-prism` install client generators and validators.
TOOLS := build/tools
# pip's own notices would hide ours; its errors are shown.
PIP := $(BIN)/pip --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help run demo screenshots test test-of test-slow test-examples test-prism test-ways test-upgrade test-everything test-medusa test-vendure check format packages release-check docs lock audit sbom fuzz mutate faults torture bench bench-quick model clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

run: $(VENV)/.run ## Install into .venv, start the service on its embedded database, show the first steps
	@$(BIN)/wishwell serve --welcome

demo: $(VENV)/.run ## Open a small shop with wishlists on port 8080; `make demo PORT=8081` for another
	@$(BIN)/python -m demo $(if $(PORT),--port $(PORT))

screenshots: $(VENV)/.dev ## Take the README's pictures of the demo anew, into docs/images/
	@$(BIN)/python -m demo.screenshots

# Each process would compile all tests anew where the environment says not to keep bytecode.
check test test-of test-slow test-examples test-prism test-ways: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.dev ## Install what the tests need and run the quick ones: both engines, faults, a browser
	@$(BIN)/pytest -n $(JOBS) -m "not slow" --ignore tests/lint --durations=10 --durations-min=2

test-of: $(VENV)/.dev ## The quick tests of a file or folder; `FILE=src/wishwell/importers/cells.py`
	@tests=$$($(BIN)/python -m tests.tests_of $(FILE)) && $(BIN)/pytest -n 2 -m "not slow" $$tests

test-slow: $(VENV)/.dev $(TOOLS)/.installed ## The rest: generated requests, more rounds of races, what takes long
	@$(BIN)/pytest -n $(JOBS) -m slow

# The targets below repeat tests: those with a mark (tests/repeated.py), or with WHOLE=1 all but the slow ones.
selected = $(if $(WHOLE),not slow,$(1) and not slow)
# How many times as many examples each property gets.
EXAMPLES ?= $(if $(WHOLE),10,3)

test-examples: $(VENV)/.dev ## The properties again with 3 times as many examples, and random ones; `EXAMPLES=10` for more
	@WISHWELL_TEST_EXAMPLES=$(EXAMPLES) $(BIN)/pytest -n $(JOBS) -m "hypothesis and not slow"

test-prism: $(VENV)/.dev $(TOOLS)/.installed ## Every operation of the API again, each exchange validated by Prism; `WHOLE=1` for all of tests/api
	@WISHWELL_TEST_PRISM=$(CURDIR)/$(TOOLS)/node_modules/.bin/prism \
		$(BIN)/pytest -n $(JOBS) -m "$(call selected,validated)" -k "not postgresql" tests/api

test-everything: ## .ci/run with nothing left out of its repetitions, before a release and each night
	@WHOLE=1 bash .ci/run

# Programs that read the API's description, installed only when their locks change.
$(TOOLS)/.installed: tests/tools/package-lock.json requirements/tools.lock
	@echo "Installing client generators and validators into $(TOOLS) ..."
	@mkdir -p $(TOOLS)
	@cp tests/tools/package.json tests/tools/package-lock.json $(TOOLS)
	@cd $(TOOLS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@$(PYTHON) -m venv $(TOOLS)/venv
	@$(TOOLS)/venv/bin/pip --quiet --disable-pip-version-check --no-input install --require-hashes \
		--requirement requirements/tools.lock
	@touch $@

test-ways: $(VENV)/.dev packages/proxy/dist/express.js ## The storefront's tests through nginx, Caddy and both forwarders; `WHOLE=1` for all of them
	@for way in $(or $(WISHWELL_TEST_STOREFRONT),nginx caddy node asgi); do echo "Through $$way:"; \
		WISHWELL_TEST_STOREFRONT=$$way $(BIN)/pytest -n $(JOBS) -m "$(call selected,forwarded)" tests/storefront || exit 1; done

# The commit whose schema is the oldest that an upgrade begins from.
UPGRADE_FROM := 5ac0b72
# A commit since which migrations have only added (schema_support).
ADDED_SINCE := ec35f0eb
test-upgrade: $(VENV)/.dev build/at/$(UPGRADE_FROM)/.venv/.run build/at/$(ADDED_SINCE)/.venv/.run ## A filled database of an earlier release, up to this one and back
	@WISHWELL_TEST_UPGRADE_FROM=$(CURDIR)/build/at/$(UPGRADE_FROM)/.venv/bin/wishwell \
		WISHWELL_TEST_ADDED_SINCE=$(CURDIR)/build/at/$(ADDED_SINCE)/.venv/bin/wishwell \
		$(BIN)/pytest -n 2 tests/service/test_upgrade.py

# Medusa itself is installed only when its lock changes.
MEDUSA := build/medusa
test-medusa: $(VENV)/.dev $(MEDUSA)/.built ## A shop of Medusa 2 with examples/medusa, in a browser; installs it from npm
	@WISHWELL_TEST_MEDUSA=$(CURDIR)/$(MEDUSA)/.medusa/server $(BIN)/pytest tests/examples/test_medusa.py

$(MEDUSA)/.built: $(wildcard examples/medusa/*.ts examples/medusa/src/*/*.ts) $(MEDUSA)/.installed
	@rm -rf $(MEDUSA)/src
	@cp -r examples/medusa/. $(MEDUSA)
	@cd $(MEDUSA) && npm run --silent build
	@touch $@

$(MEDUSA)/.installed: examples/medusa/package-lock.json
	@echo "Installing Medusa into $(MEDUSA) ..."
	@mkdir -p $(MEDUSA)
	@cp examples/medusa/package.json examples/medusa/package-lock.json $(MEDUSA)
	@cd $(MEDUSA) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

VENDURE := build/vendure
test-vendure: $(VENV)/.dev $(VENDURE)/.built ## A shop of Vendure 3 with examples/vendure, in a browser; installs it from npm
	@WISHWELL_TEST_VENDURE=$(CURDIR)/$(VENDURE) $(BIN)/pytest tests/examples/test_vendure.py

$(VENDURE)/.built: $(wildcard examples/vendure/src/*.ts examples/vendure/src/*/*/*.ts) $(VENDURE)/.installed
	@rm -rf $(VENDURE)/src $(VENDURE)/dist
	@cp -r examples/vendure/. $(VENDURE)
	@cd $(VENDURE) && npm run --silent build
	@touch $@

$(VENDURE)/.installed: examples/vendure/package-lock.json packages/proxy/dist/express.js
	@echo "Installing Vendure into $(VENDURE) ..."
	@mkdir -p $(VENDURE)
	@cp examples/vendure/package.json examples/vendure/package-lock.json examples/vendure/.npmrc $(VENDURE)
	@cd $(VENDURE) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The program of an earlier commit, with the libraries that it pinned.
build/at/%/.venv/.run:
	@mkdir -p build/at/$*
	@git archive $* | tar -x -C build/at/$*
	@$(MAKE) --silent -C build/at/$* PYTHON="$(PYTHON)" .venv/.run

check: $(VENV)/.dev ## Format, lint, strict types, the workflows, and the rules of code and documents in tests/lint, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml compose.minimal.yaml
	$(BIN)/pytest tests/lint

format: $(VENV)/.dev ## Format the code and sort its imports; write the API's description and, from it, the clients' types and the rules' tables; write the sample settings
	$(BIN)/python -m tools.openapi
	$(BIN)/python -m tools.described_client
	$(BIN)/python clients/python/hatch_build.py && touch $(VENV)/.client
	$(BIN)/python -m tools.rule_tables
	$(BIN)/python -m tools.sample_settings
	$(BIN)/python -m tools.text_names
	@! command -v npm >/dev/null || $(MAKE) --silent packages/elements/src/api.d.ts
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

packages/elements/src/api.d.ts: src/wishwell/http/openapi.json
	@cd packages/elements && ([ -d node_modules ] || npm ci --no-audit --no-fund --silent) && npm run --silent types

packages/proxy/dist/express.js: $(wildcard packages/proxy/src/*.ts) packages/proxy/package-lock.json
	@cd packages/proxy && npm ci --no-audit --no-fund --silent && npm run --silent build

packages: $(VENV)/.run ## Write build/: the wheels of the service and the Python client, and the npm packages
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir build . ./clients/python
	@for folder in elements react proxy; do (cd packages/$$folder && npm ci --no-audit --no-fund --silent \
		&& npm pack --silent --pack-destination ../../build) || exit 1; done
	@$(BIN)/python -m tools.npm_readmes build/wishwell-*.tgz

docs: $(VENV)/.docs ## Build the documentation site, build/docs/index.html, and check its links and anchors
	@$(BIN)/python -m tools.documentation
	@$(BIN)/zensical build --clean --strict --config-file mkdocs.yml

release-check: $(VENV)/.security packages sbom ## Build what a release publishes into build/dist/, and check it without a registry
	@rm -rf build/dist
	@for folder in . clients/python; do $(BIN)/python -m build --no-isolation --outdir build/dist $$folder >/dev/null || exit 1; done
	@mv build/wishwell-*.tgz build/dist/
	@$(BIN)/twine check --strict build/dist/*.whl build/dist/*.tar.gz
	@# W002: licences are next to the files that they are for, and in the metadata.
	@$(BIN)/check-wheel-contents --ignore W002 build/dist/*.whl
	@for package in elements react proxy; do (cd packages/$$package && ../elements/node_modules/.bin/publint --strict \
		&& ../elements/node_modules/.bin/attw --pack . --profile esm-only --quiet) || exit 1; done
	@WISHWELL_TEST_RELEASE=$(CURDIR)/build $(BIN)/pytest tests/lint/test_release.py tests/lint/test_licences.py

lock: $(VENV)/.dev ## Pin the newest releases that pyproject.toml allows, with their hashes
	@./requirements/lock

audit: $(VENV)/.security ## Ask the advisory service about every pinned release; fails if it can't
	@./requirements/audit

sbom: $(VENV)/.security ## Write build/sbom.json: what the service runs with, as CycloneDX
	@$(BIN)/python -m tools.sbom

fuzz: $(VENV)/.security ## Fuzz every decoder for 7 minutes; `make fuzz MINUTES=60` for longer
	@$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),7)

mutate: $(VENV)/.mutate ## Put faults into the code, one by one, and name what no test notices; `FILE=items` for a module or package
	@$(BIN)/python -m tests.mutation $(FILE) $(if $(MINUTES),--minutes $(MINUTES))

faults: $(VENV)/.dev ## Break things under load for 20 to 40 minutes; writes tests/faults/results/latest.json
	@$(BIN)/python -m tests.faults --seconds 400

torture: faults  # the name until now

bench: $(VENV)/.bench ## Measure against the floor, the usual way and Fastify; writes bench/results
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.anchor

BASE ?= HEAD~1
bench-quick: $(VENV)/.dev ## Compare with an earlier commit in under 3 minutes, `BASE=<commit>` or the last but one
	@commit=$$(git rev-parse --short --verify "$(BASE)^{commit}") \
		&& $(MAKE) --silent build/at/$$commit/.venv/.run && $(BIN)/python -m bench.beside build/at/$$commit \
			--least 0.93 --work page list post

model: $(VENV)/.dev ## Measure what an item and a request cost; writes bench/results/model.json
	@$(BIN)/python -m bench.model $(ASSUME)

clean: ## Remove what the other targets have installed and built; wishwell.db stays
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .schemathesis .cache

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Wishwell needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.lock requirements/build.lock pyproject.toml tools/build_hooks.py | $(VENV)/bin/pip
	@echo "Installing what Wishwell needs into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/run.lock --requirement requirements/build.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.run | $(VENV)/.client
	@echo "Installing what the tests need into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/dev.lock
	@touch $@

# The blocking client is generated from the asyncio client when it is installed.
$(VENV)/.client: clients/python/pyproject.toml clients/python/hatch_build.py \
		$(wildcard clients/python/src/wishwell_client/_async/*.py) | $(VENV)/.run
	@$(PIP) install --no-deps --no-build-isolation --editable clients/python
	@touch $@

$(VENV)/.security: requirements/security.lock $(VENV)/.dev
	@echo "Installing what audit, sbom and fuzz need into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/security.lock
	@touch $@

$(VENV)/.docs: requirements/docs.lock $(VENV)/.run
	@echo "Installing what the documentation site needs into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/docs.lock
	@touch $@

$(VENV)/.mutate: requirements/mutate.lock $(VENV)/.dev
	@echo "Installing what mutation testing needs into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/mutate.lock
	@touch $@

$(VENV)/.bench: requirements/bench.lock $(VENV)/.dev
	@echo "Installing what the benchmark needs into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement requirements/bench.lock
	@touch $@
