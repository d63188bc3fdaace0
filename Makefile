# Everything from clone to chart: `make start`, `make test`. Steps leave stamps, so that a second call is quick.

PYTHON ?= python3
PORT ?= 8080
SUMMARY_BASE_DIR ?=
ARGS ?=

BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements/locked.txt
DEMO := runs-demo
UI_SOURCES := $(shell find ui -type f -not -path 'ui/node_modules/*' -not -path 'ui/dist/*' -not -name '*.py' -not -path '*/__pycache__/*')
NATIVE_SOURCES := $(shell find mindinsight_like profiler lineage -name '*.pyx' -o -name '*.pxi' -o -name '*.h')

.PHONY: help start stop test packages test-python test-twin test-ui coverage lint docs rest-reference wheel look bench compat clean
.DEFAULT_GOAL := help
.NOTPARALLEL:

help:
	@echo 'make start [SUMMARY_BASE_DIR=folder] [PORT=8080]  serve a folder of training logs, or demo runs'
	@echo 'make stop [PORT=8080]                             end that service'
	@echo 'make test                                         run every check, as CI does'
	@echo 'make coverage                                     run the Python tests with coverage; fails below the floor'
	@echo 'make lint                                         only ruff, mypy, the import contracts and zizmor'
	@echo 'make docs                                         build the documentation into site/, with search'
	@echo 'make wheel                                        build a manylinux wheel with the page and the native modules'
	@echo 'make look                                         look at every page in every state, size and language'
	@echo 'make bench                                        compare speed and memory with other log readers'
	@echo 'make compat                                       try the writers beside TensorBoard, VisualDL, MindSpore and others'
	@echo 'make clean                                        remove everything the commands above have made here'

# --- environment ------------------------------------------------------------------------------------------------

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo 'Python 3.10 or newer is needed; name it as in: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@touch $@

.venv/.installed: .venv/.made pyproject.toml setup.py requirements/locked.txt $(NATIVE_SOURCES)
	$(INSTALL) --editable '.[projections]' || { echo 'Going on without t-SNE and UMAP' >&2; $(INSTALL) --editable .; }
	@touch $@

.venv/.tools: .venv/.installed requirements/tools.txt
	$(INSTALL) --requirement requirements/tools.txt
	@touch $@

ui/node_modules/.installed: ui/package.json ui/package-lock.json
	@command -v npm >/dev/null || { echo 'Node 20 with npm is needed to build the page (nodejs.org)' >&2; exit 1; }
	cd ui && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

ui/dist/index.html: ui/node_modules/.installed $(UI_SOURCES)
	cd ui && npm run --silent build
	@touch $@

$(DEMO): | .venv/.installed
	@echo 'Training a small model a few times, to have something to look at'
	@rm -rf $(DEMO).part
	@$(BIN)/app demo $(DEMO).part >/dev/null
	@mv $(DEMO).part $(DEMO)

# --- commands ---------------------------------------------------------------------------------------------------

start: .venv/.installed ui/dist/index.html $(if $(SUMMARY_BASE_DIR),,$(DEMO))
	@$(BIN)/app start --summary-base-dir '$(or $(SUMMARY_BASE_DIR),$(DEMO))' --port '$(PORT)' $(ARGS)

stop: .venv/.installed
	@$(BIN)/app stop --port '$(PORT)' $(ARGS)

test: packages lint test-ui test-python test-twin
	@echo 'All checks passed.'

packages:
	@.ci/packages $(PYTHON)

lint: .venv/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/python -m tests.plan
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet --persona auditor .github

test-ui: ui/dist/index.html # which is type-checked before it is built
	cd ui && npm run --silent lint && npm run --silent test

# A page that does not start would fail every browser test by its timeout: after a few dozen failures the rest is left.
test-python: .venv/.tools ui/dist/index.html
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --maxfail 40 $(ARGS)

# Python only; the floor is in pyproject.toml.
coverage: .venv/.tools ui/dist/index.html
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report term:skip-covered $(ARGS)

# The tests of readers and of recording once more on the Python references of native modules.
test-twin: .venv/.tools
	MINDINSIGHT_TWIN=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile \
		tests/logs tests/trackers tests/profiler/training $(ARGS)

# English and Chinese; a broken link or anchor is an error, but not with --quiet, which hides warnings from --strict.
# The variable silences an advertisement of the theme.
docs: .venv/.tools
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --clean
	@echo 'Open site/index.html'

# What is made from the OpenAPI document: operations and response types in docs/rest-api.md, TypeScript types of the page.
rest-reference: .venv/.tools ui/node_modules/.installed
	$(BIN)/python -m tests.docs.rest_reference
	$(BIN)/python -m mindinsight_like.app.openapi | node ui/scripts/rest-types.mjs

wheel: .venv/.tools ui/dist/index.html
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --strip --wheel-dir dist dist/*-linux_*.whl >/dev/null
	rm dist/*-linux_*.whl
	$(BIN)/python tests/packaging/contents.py --release dist/*.whl

# Pictures of every page in every state; what is wrong with one is printed. The pictures are in build/look.
look: packages .venv/.tools ui/dist/index.html
	$(BIN)/python -m tests.look $(ARGS)

bench: packages .venv/.tools ui/dist/index.html
	$(BIN)/python -m tests.bench $(ARGS)

compat: .venv/.tools
	$(BIN)/python tests/compat/run.py $(ARGS)

clean:
	rm -rf .venv build dist *.egg-info ui/dist ui/node_modules site $(DEMO) $(DEMO).part
	find mindinsight_like profiler lineage \( -name '*.so' -o -name '_*.c' \) -delete
