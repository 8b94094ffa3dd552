# The commands of the README, `make demo`, `make test` and `make docs`, and what they are made of.
# Everything happens in a virtual environment of its own (.venv); nothing else is touched.

PYTHON ?= python3
CXX ?= c++
VENV := .venv
BIN := $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What has to be compiled; an edit of Python needs nothing, as the install is an editable one.
COMPILED := pyproject.toml CMakeLists.txt $(shell find cpp -type f 2>/dev/null)
PYTHON_FILES := $(shell find src -name '*.py' 2>/dev/null)
CPP_FILES := $(shell find cpp fuzz -name '*.?pp' -o -name '*.inc' 2>/dev/null)
# What a list in pyproject.toml names, quoted: $(call listed,["build-system"]["requires"])
listed = $(shell $(PYTHON) -c \
  'import tomllib; print(*map(repr, tomllib.load(open("pyproject.toml", "rb"))$(1)))')

.PHONY: demo docs docs-browser readme test test-cores test-slow test-bare test-oldest lint types coverage benchmarks benchmarks-page fuzz fuzz-files test-cpp tidy mutants fuzz-threads model asan tsan odr attack golden golden-base wheel sdist clean
.DELETE_ON_ERROR:

demo: $(VENV)/arrow,plot.done
	$(BIN)/tauboost demo --out demo_out

# The README from top to bottom, with what `pip install .` brings and nothing else, and no network:
# three minutes, most of them to compile.
README := build/readme
readme: compiler
	rm -rf $(README)
	$(PYTHON) -m venv $(README)
	$(README)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --config-settings build-dir=$(README)/cmake .
	$(README)/bin/python tests/packing/readme.py

# The site, in build/docs/html. `make docs-browser` opens it in Chromium, and checks what only a
# browser sees: accessibility (axe-core), requests to other hosts, the search. Needs npm.
docs: $(VENV)/docs.done
	$(BIN)/python -m docs.site.build

docs-browser: docs
	npm install --prefix build/docs --no-save --silent axe-core@4 playwright-core@1
	NODE_PATH=build/docs/node_modules node docs/site/browser.cjs build/docs/html build/docs/screens

# Files of tests side by side, but for those that kill workers or time things: these want the
# machine for themselves.
ALONE := tests/cluster/test_faults.py tests/cluster/test_network.py \
  $(wildcard tests/project/test_attack_*.py) tests/project/test_benchmarks.py \
  tests/project/test_benchmark_solvers.py
define suite
	$(1) -n 2 --dist loadfile -m "not slow and not attack" $(ALONE:%=--ignore=%)
	$(1) -m "not slow and not attack" $(ALONE)
endef
# Every test believes in some number of cores, which its name and a seed decide (tests/helpers/
# believed_cores.py). What lives by threads is run on 3 and on 8 as well.
THREADED := tests/solvers tests/search tests/sparse_data tests/tables tests/texts tests/paper tests/base \
  $(wildcard tests/io/test_svmlight*.py tests/test_*.py)
test: $(VENV)/dev.done lint types
	$(call suite,$(BIN)/pytest)
	TAUBOOST_CORES=3 $(BIN)/pytest -n 2 --dist loadfile -m "not slow and not attack" $(THREADED)
	TAUBOOST_CORES=8 $(BIN)/pytest -n 2 --dist loadfile -m "not slow and not attack" $(THREADED)

# The whole suite on so many cores, one number after the other: 45 minutes.
CORES ?= 1 2 3 8
.PHONY: $(CORES:%=test-on-%)
test-cores: $(CORES:%=test-on-%)
$(CORES:%=test-on-%): test-on-%: $(VENV)/dev.done
	$(call suite,TAUBOOST_CORES=$* $(BIN)/pytest)

test-slow: $(VENV)/dev.done
	$(BIN)/pytest -m slow

# Without any extra (dask, onnx, pyarrow, matplotlib): the tests that need one are skipped.
BARE := build/bare
test-bare: $(BARE)/test.done
	$(call suite,$(BARE)/bin/pytest)

# The oldest versions that pyproject.toml declares.
OLDEST := build/oldest
test-oldest: $(OLDEST)/dev.done
	$(call suite,$(OLDEST)/bin/pytest -W default)

# Both in environments of their own, made again after an edit.
$(BARE)/test.done: RESOLUTION := highest
$(OLDEST)/dev.done: RESOLUTION := lowest-direct
build/%/test.done build/%/dev.done: $(COMPILED) $(PYTHON_FILES) | $(VENV)/build.done compiler
	$(PYTHON) -m venv --clear build/$*
	build/$*/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/$*/bin/uv pip install --quiet --python build/$*/bin/python --reinstall-package tauboost \
	  --resolution $(RESOLUTION) ".[$(basename $(@F))]"
	@touch $@

lint: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)
	$(BIN)/codespell

types: $(VENV)/dev.done
	$(BIN)/mypy

coverage: $(VENV)/dev.done
	$(BIN)/pytest -m "not slow and not attack" --cov --cov-report=term-missing

# All figures of docs/benchmarks.md, from one run of about an hour on two quiet cores; what was
# interrupted goes on where it was (RUN="--only tables --again" and the like). `make benchmarks-page`
# writes the page again from the results of that run.
RUN ?=
benchmarks: $(VENV)/dev,benchmark.done
	$(BIN)/python benchmarks/run.py $(RUN)

benchmarks-page: $(VENV)/dev,benchmark.done
	$(BIN)/python benchmarks/page.py

# Needs clang: make fuzz CLANG=clang++-14 FUZZ_SECONDS=600. New inputs stay in build/fuzz/found;
# one that fails is written to build/fuzz, and can be run again by giving it to build/fuzz/svmlight.
FUZZ_SECONDS ?= 60
CLANG ?= clang++
fuzz:
	@command -v $(CLANG) > /dev/null || \
	  { echo "fuzzing needs clang: install it (Debian: apt install clang) or set CLANG." >&2; exit 1; }
	@mkdir -p build/fuzz/found
	$(CLANG) -std=c++20 -Icpp -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  -pthread fuzz/svmlight.cpp -o build/fuzz/svmlight
	build/fuzz/svmlight -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -dict=fuzz/svmlight.dict \
	  -artifact_prefix=build/fuzz/ -print_final_stats=1 build/fuzz/found fuzz/corpus

# Mutated files of every format; those that do harm stay in build/fuzz.
MUTATIONS ?= 200000
fuzz-files: $(VENV)/dev.done
	$(BIN)/python -m fuzz.files --mutations $(MUTATIONS)

GXX ?= g++
ODR := build/odr

# The kernels alone, without Python (cpp/tests), with the flags of CMakeLists.txt that make bits.
CCACHE := $(shell command -v ccache 2> /dev/null)
KERNEL_TESTS := $(patsubst cpp/%.cpp,build/kernels/%.o,\
  $(filter-out %/inject.cpp,$(wildcard cpp/tests/*.cpp)) cpp/kernels/rule.cpp cpp/kernels/logistic.cpp)
test-cpp: $(KERNEL_TESTS)
	$(GXX) -pthread $^ -o build/kernels/run
	build/kernels/run

build/kernels/%.o: cpp/%.cpp $(CPP_FILES)
	@mkdir -p $(@D)
	$(CCACHE) $(GXX) -std=c++20 -O2 -g -Wall -Wextra -fno-math-errno -ffp-contract=off -pthread -Icpp \
	  -c $< -o $@

# Faults in the kernels, made by hand (tests/mutants/kernels.py): a test must find each. An hour.
mutants: $(VENV)/dev.done
	PYTHONPATH=tests $(BIN)/python -m mutants.run $(MUTANTS)

# What clang-tidy has to say of every file (.clang-tidy has the checks). Needs clang-tidy.
TIDY ?= clang-tidy
tidy: $(ODR)/flags
	$(TIDY) --quiet $(filter-out cpp/tests/%,$(wildcard cpp/*/*.cpp)) -- -std=c++20 -Icpp @$(ODR)/flags

# The team of threads by itself, plain and under ThreadSanitizer; the svmlight reader on 2, 3 and 8
# threads, and on numbers that change. Needs g++.
WITH_THREADS := $(GXX) -std=c++20 -Icpp -g -pthread
fuzz-threads:
	@mkdir -p build/fuzz
	$(WITH_THREADS) -O2 fuzz/phases.cpp -o build/fuzz/phases
	build/fuzz/phases 1000000
	$(WITH_THREADS) -O1 -fsanitize=thread fuzz/phases.cpp -o build/fuzz/phases_watched
	build/fuzz/phases_watched 100000
	$(WITH_THREADS) -O1 -fsanitize=thread fuzz/svmlight_threads.cpp -o build/fuzz/svmlight_threads
	build/fuzz/svmlight_threads

# The protocol of the threads (fuzz/protocol.pml), in all interleavings. Needs Spin.
model:
	@command -v spin > /dev/null || \
	  { echo "the model needs Spin: install it (Debian: apt install spin)." >&2; exit 1; }
	$(PYTHON) tests/attack/model.py

# The compiled module with sanitizers, in a folder of its own, which the installed one does not see.
# asan runs the test suite on it, tsan every kernel on 2 to 64 threads, and teams of changing size.
# Needs g++.
asan: build/asan/package.done $(VENV)/dev.done
	$(call suite,$(BIN)/python tests/attack/sanitized.py asan $(BIN)/pytest --capture=sys)

tsan: build/tsan/package.done $(VENV)/dev.done fuzz-threads
	$(BIN)/python tests/attack/sanitized.py tsan $(BIN)/pytest tests/project/test_sanitizers.py
	$(BIN)/python tests/attack/sanitized.py tsan $(BIN)/python -m attack.races
	$(BIN)/python tests/attack/sanitized.py tsan $(BIN)/python -m attack.teams --rounds 1

SANITIZE_asan := address,undefined
SANITIZE_tsan := thread
build/%/package.done: $(COMPILED) $(PYTHON_FILES) | $(VENV)/build.done compiler
	rm -rf build/$*/package
	CXX=$(GXX) $(PIP) --no-build-isolation --no-deps \
	  --target build/$*/package -C cmake.define.TAUBOOST_SANITIZE=$(SANITIZE_$*) \
	  -C cmake.build-type=RelWithDebInfo -C build-dir=build/$*/cmake .
	@touch $@

# One definition rule: no two files may mean different things by one name. With link-time
# optimization the compiler compares types; gold, functions, where none is inlined.
ODR_OBJECTS = $(patsubst cpp/%.cpp,$(ODR)/%.o,$(filter-out cpp/tests/%,$(wildcard cpp/*/*.cpp)))
odr: $(ODR)/flags
	$(MAKE) --no-print-directory -j 2 $(ODR_OBJECTS)
	$(GXX) -shared -O1 -flto=2 -Werror=odr -Werror=lto-type-mismatch -o $(ODR)/types.so $(ODR_OBJECTS)
	$(GXX) -shared -fno-lto -fuse-ld=gold -Wl,--detect-odr-violations,--fatal-warnings \
	  -o $(ODR)/functions.so $(ODR_OBJECTS)

$(ODR)/flags: | $(VENV)/build.done compiler
	@mkdir -p $(ODR)
	$(BIN)/python -c 'import nanobind, sysconfig; \
	  print("-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_paths()["include"])' > $@

$(ODR)/%.o: cpp/%.cpp $(CPP_FILES) $(ODR)/flags
	@mkdir -p $(@D)
	$(GXX) -std=c++20 -O0 -g1 -fPIC -flto -ffat-lto-objects -DNB_SHARED -Icpp \
	  @$(ODR)/flags -c $< -o $@

# Little memory, forks, leaks, a cluster whose workers are killed: about an hour.
attack: $(VENV)/dev.done
	$(BIN)/pytest -m attack

# What the public names give, to 17 digits, beside what they gave at a commit: fails where a number is
# off by more than 1e-12. `make golden-base BASE=commit` first, in an own place with the dependencies
# of .venv; SPEED=--speed times a dozen things as well, in both.
GOLDEN := build/golden
BASE ?= HEAD
SPEED ?=
golden: $(VENV)/dev.done
	$(BIN)/python -m tests.golden record $(GOLDEN)/now.json $(SPEED)
	$(BIN)/python -m tests.golden compare $(GOLDEN)/base.json $(GOLDEN)/now.json

golden-base: $(VENV)/dev.done
	rm -rf $(GOLDEN)/base $(GOLDEN)/site
	git worktree prune
	git worktree add --detach $(GOLDEN)/base $(BASE)
	$(PIP) --no-build-isolation --no-deps --target $(GOLDEN)/site \
	  -C build-dir=$(abspath $(GOLDEN))/cmake $(GOLDEN)/base
	git worktree remove --force $(GOLDEN)/base
	PYTHONPATH=$(abspath $(GOLDEN))/site:$(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	  $(PYTHON) -m tests.golden record $(GOLDEN)/base.json $(SPEED)

# The wheel of PYTHON: built, made to run on other machines, and tried in an environment without
# compilers, where it must have the bits of the build in .venv. TRY names the Pythons to try it with,
# BESIDE a package to load beside it: make wheel PYTHON=python3.12 TRY="python3.12 python3.13".
TRY ?= $(PYTHON)
BESIDE ?=
WHEEL := build/wheel
TOOLS := build/release
wheel: $(VENV)/dev.done $(TOOLS)/release.done
	rm -rf $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/python -m pip wheel --disable-pip-version-check --no-deps \
	  --config-settings build-dir=$(WHEEL)/cmake --wheel-dir $(WHEEL)/built .
	PATH="$(abspath $(TOOLS)/bin):$$PATH" auditwheel repair --wheel-dir $(WHEEL)/repaired $(WHEEL)/built/*.whl
	$(BIN)/python tests/packing/check.py $(WHEEL)/repaired/*.whl $(TRY:%=--python %) $(BESIDE:%=--beside %)
	mkdir -p dist && cp $(WHEEL)/repaired/*.whl dist

# The source distribution, built and tried from itself alone, in an empty folder.
sdist: $(VENV)/dev.done $(TOOLS)/release.done
	rm -f dist/*.tar.gz
	$(TOOLS)/bin/python -m build --sdist --outdir dist .
	$(BIN)/python tests/packing/check.py dist/*.tar.gz

$(TOOLS)/release.done: pyproject.toml
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  $(call listed,["project"]["optional-dependencies"]["release"])
	@touch $@

clean:
	rm -rf $(VENV) build dist compare_out demo_out

# Without build isolation, so that what is compiled stays and only what changed is compiled again.
$(VENV)/%.done: $(COMPILED) | $(VENV)/build.done compiler
	$(PIP) --no-build-isolation --editable ".[$*]"
	@touch $@

# What pyproject.toml asks for to build, and what scikit-build-core would fetch by itself.
$(VENV)/build.done: pyproject.toml | $(BIN)/python
	$(PIP) cmake ninja $(call listed,["build-system"]["requires"])
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tauboost needs Python 3.11 or newer: set PYTHON=/path/to/python3.11." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

.PHONY: compiler
compiler:
	@command -v $(firstword $(CXX)) > /dev/null || \
	  { echo "tauboost needs a C++20 compiler and found none: install g++ (Debian: apt install g++) or set CXX." >&2; exit 1; }
