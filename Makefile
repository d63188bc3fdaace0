# Everything from clone to chart: `make start`, `make test`. Steps leave stamps, so that a second call is quick.

PYTHON ?= python3
PORT ?= 8080
SUMMARY_BASE_DIR ?=
ARGS ?=

BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements/locked.txt
DEMO := runs-demo
UI_SOURCES := $(shell find ui -type f -not -path 'ui/node_modules/*' -not -path 'ui/dist/*' -not -name '*.py' -not -path '*/__pycache__/*')
NATIVE_SOURCES := $(shell find mindinsight_like profiler lineage -name '*.pyx' -o -name '*.h')

.PHONY: help start stop test packages test-python test-twin test-ui lint wheel bench compat clean
.DEFAULT_GOAL := help
.NOTPARALLEL:

help:
	@echo 'make start [SUMMARY_BASE_DIR=folder] [PORT=8080]  serve a folder of training logs, or demo runs'
	@echo 'make stop [PORT=8080]                             end that service'
	@echo 'make test                                         run every check, as CI does'
	@echo 'make lint                                         only ruff and mypy'
	@echo 'make wheel                                        build dist/*.whl with the page and the compiled scanner'
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
	$(BIN)/mypy

test-ui: ui/dist/index.html # which is type-checked before it is built
	cd ui && npm run --silent lint && npm run --silent test

test-python: .venv/.tools ui/dist/index.html
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

# The tests of readers and of recording once more on the Python twins of compiled modules.
test-twin: .venv/.tools
	MINDINSIGHT_TWIN=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile tests/logs tests/profiler/training $(ARGS)

wheel: .venv/.tools ui/dist/index.html
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/python tests/packaging/contents.py dist/*.whl

bench: packages .venv/.tools ui/dist/index.html
	$(BIN)/python -m tests.bench $(ARGS)

compat: .venv/.tools
	$(BIN)/python tests/compat/run.py $(ARGS)

clean:
	rm -rf .venv build dist *.egg-info ui/dist ui/node_modules $(DEMO) $(DEMO).part
	find mindinsight_like profiler lineage \( -name '*.so' -o -name '_*.c' \) -delete
