# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src/microagg/_core -name '*.cpp' -o -name '*.h')
INSTALLED := $(VENV)/.installed
CLUSTER := $(VENV)/.cluster

.PHONY: help release-check demo test test-gpu lint types contracts portable docs wheel bench best records scale cluster sanitize fuzz fuzz-guided mutants clean

help:
	@echo "make demo       set up, anonymise an example, print the result and write demo/report.html"
	@echo "make test       set up, run all tests, doctests and the examples of the docs"
	@echo "make test-gpu   test the kernels on a graphics card of NVIDIA, with CuPy (EXTRA=gpu-cuda12 for CUDA 12)"
	@echo "make lint       check style of Python and C++"
	@echo "make types      mypy, strict"
	@echo "make contracts  check that imports go one way"
	@echo "make portable   types as on Windows and macOS, and a build with Clang"
	@echo "make docs       build the site into docs/_build"
	@echo "make wheel      build the wheel, look at what is in it, and use it in an environment of its own"
	@echo "make bench      measure speed, loss and memory beside other tools"
	@echo "make best       search for the lowest loss, beside the papers' best; writes its tables into the docs (7 minutes)"
	@echo "make records    print which records (lowest loss of each data set, size and k) changed, and write their table into the docs"
	@echo "make scale      measure a million records and more, and a file larger than memory (an hour)"
	@echo "make cluster    one release of a million records by processes, Dask, Ray and Spark: time, memory, and the same bytes (15 minutes)"
	@echo "make sanitize   build the kernels with address and undefined-behaviour sanitizers, and run their tests"
	@echo "make fuzz       generated tables, reports, files, requests and kills against what is promised; CASES=2000 SEED=0"
	@echo "make fuzz-guided  file readers and kernels, guided by coverage; SECONDS=300"
	@echo "make mutants    break the checks that guard k, one small thing at a time: do the tests notice?"
	@echo "make release-check TAG=v1.2.3   say what keeps this tree from being published under that tag"
	@echo "make clean      remove everything that was built"

$(INSTALLED): pyproject.toml CMakeLists.txt src/microagg/__init__.py $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev --group build
	$(BIN)/python -m pip install --quiet --no-build-isolation -C cmake.define.MICROAGG_WERROR=ON -e '.[all]'
	touch $@

# Half a gigabyte of engines, which only tests and types need.
$(CLUSTER): $(INSTALLED)
	$(BIN)/python -m pip install --quiet 'microagg[dask,ray,spark]'
	touch $@

demo: $(INSTALLED)
	mkdir -p demo
	$(BIN)/microagg datasets census_like --records 2000 -o demo/people.csv
	$(BIN)/microagg anonymize demo/people.csv -k 5 --quasi '*' -o demo/released.csv --report demo/report.html

test: $(CLUSTER)
	$(BIN)/python -m pytest -n auto -q

EXTRA ?= gpu

test-gpu: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --no-build-isolation -e '.[all,$(EXTRA)]'
	$(BIN)/python -m pytest -n 0 -q tests/gpu

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md docs src

types: $(CLUSTER)
	$(BIN)/python -m nanobind.stubgen -q -m microagg._core -o src/microagg/_core.pyi
	$(BIN)/mypy

# What Windows and macOS lack is an error of types; what Clang finds is an error too.
portable: $(INSTALLED)
	$(BIN)/mypy --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --no-warn-unreachable --cache-dir .mypy_cache/darwin
	$(BIN)/cmake -S . -B build/clang -G Ninja -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_CXX_COMPILER=clang++ -DMICROAGG_WERROR=ON
	$(BIN)/cmake --build build/clang

contracts: $(INSTALLED)
	$(BIN)/lint-imports

docs: $(CLUSTER)
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

wheel: $(INSTALLED)
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps -C cmake.define.MICROAGG_WERROR=ON -w build/wheel .
	$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("build/wheel")' >/dev/null
	$(BIN)/python tests/wheel.py build/wheel

bench: $(INSTALLED)
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/mhm.py
	$(BIN)/python benchmarks/files.py
	$(BIN)/python benchmarks/yardstick.py

best: $(INSTALLED)
	$(BIN)/python benchmarks/best.py --at-once 2 --record

records: $(INSTALLED)
	$(BIN)/python benchmarks/records.py

scale: $(INSTALLED)
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/scale.py --others
	$(BIN)/python benchmarks/scale.py --outofcore

cluster: $(CLUSTER)
	$(BIN)/python benchmarks/cluster.py
	MICROAGG_CLUSTER=1 $(BIN)/python -m pytest -q tests/engines/test_spark_parts.py

# The kernels once more, in a folder of their own. Leaks are not looked for: what the interpreter keeps until it ends would
# be reported. PYTHONMALLOC=malloc makes every Python object a block of its own, so that reading beside it is noticed.
SANITIZE := build/sanitize
SANITIZED_TESTS ?= tests/partition tests/refine tests/paths tests/risk tests/bounds tests/semantic tests/incremental

sanitize: $(INSTALLED)
	$(BIN)/cmake -S . -B $(SANITIZE)/cmake -G Ninja -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMICROAGG_SANITIZE=ON
	$(BIN)/cmake --build $(SANITIZE)/cmake
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	  $(BIN)/python tests/sanitized.py $(SANITIZE) $(SANITIZED_TESTS)

# Bounded by a count; the same numbers give the same cases. ONLY=releases for one part.
CASES ?= 2000
SEED ?= 0

fuzz: $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m fuzz --cases $(CASES) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

# Guided by coverage (atheris, Linux): file readers and the door of the kernels, SECONDS in all.
SECONDS ?= 300

fuzz-guided: $(INSTALLED)
	$(BIN)/python -m pip install --quiet atheris
	PYTHONPATH=tests $(BIN)/python tests/guided.py all $(SECONDS) build/corpus

# One small break at a time in the checks that guard k: the tests must notice each.
mutants: $(INSTALLED)
	$(BIN)/python tests/mutants.py $(ONLY)

release-check: $(INSTALLED)
	$(BIN)/python packaging/check_release.py $(TAG)

clean:
	rm -rf $(VENV) build demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/microagg/_core.pyi
