# Each target does all set-up itself (tools/prepare.py), and only once. Choose another Python with PYTHON=python3.12. On Linux without an
# NVIDIA GPU torch's small build is taken; TORCH_INDEX=<address> takes the one of another index.
.DEFAULT_GOAL := help
.PHONY: help install develop demo test test-all test-site test-emulated test-zoo conformance bench matrix lab newest notebooks site zoo generate release clean

# The first one that is suitable; prepare.py says so if none is.
PYTHON ?= $(or $(shell for python in .venv/bin/python python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && echo "$$python" && break; done),python3)
# Two tests more than there are cores run at once, because tests wait: for deadlines, browsers, disks. nproc counts what OMP_NUM_THREADS
# allows, which says how many threads a test uses, not how many tests run.
JOBS ?= $(shell echo $$(($$(env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 2) + 2)))
PREPARE = @"$(PYTHON)" tools/prepare.py
# Tests that share a fixture are a group on one worker. Groups start in the order of tests/conftest.py, the longest first.
# A worker that ends ends the run: pytest-xdist 3.8 waits for ever for what it hands to a replacement (its issue 1323).
GROUPS = --dist loadgroup --no-loadscope-reorder --max-worker-restart 0
# AVX2 and no VNNI, without what the emulator warns that it lacks. It has no AVX-512 and no VNNI: the opposite cannot be emulated.
WITHOUT_VNNI = Haswell-noTSX,-invpcid,-pcid,-x2apic,-tsc-deadline
INT8 = tests/test_saturation.py tests/test_on_avx2.py tests/test_rungs_quantized.py -k "test_saturation or test_on_avx2 or runtimes or written_out_and"

ZOO_COSTS = 6 GB in .venv-zoo; llama.cpp is compiled, which takes minutes and a C++ compiler; then the page runs, 3 minutes of processor time

# nbgrader starts alembic by name. Everything numerical runs on one thread: results stay the same and a busy machine stays fast.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export OMP_NUM_THREADS := 1
export TORCH_INDEX

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

install:  ## set up .venv for students and instructors, with the sandbox, and mend what is damaged in it
	$(PREPARE) sandbox whole

develop:  ## the same with all that contributors need
	$(PREPARE) dev site sandbox whole

demo:  ## release the labs and grade a bundled class in the sandbox
	$(PREPARE) sandbox
	@python demo/run.py

test:  ## the tests of each commit: the library, the boxes, faults, one class, every stored answer
	$(PREPARE) dev sandbox
	@pytest tests -m "not slow" -n $(JOBS) $(GROUPS)

test-all:  ## the same and all that takes long or needs more: pages, seeds, browsers, databases, clusters, the zoo
	$(PREPARE) dev site sandbox browser database emulator network
	@pytest tests -n $(JOBS) $(GROUPS)
	@$(MAKE) --no-print-directory test-emulated
	@$(MAKE) --no-print-directory test-zoo
	@python -m tests.suites

test-site: site  ## every page of build/site in Chromium, light and dark, on a desktop and on a phone; HTML, links, Lighthouse
	$(PREPARE) dev site browser
	@COURSE_SITE=build/site pytest tests/site

test-emulated:  ## what INT8 kernels compute, on an emulated x86 processor without VNNI
	$(PREPARE) dev emulator
	@case "$$(uname -sm)" in \
	"Linux x86_64") EMULATED_FLAGS="f16c avx2" qemu-x86_64 -cpu $(WITHOUT_VNNI) .venv/bin/python -P -m pytest $(INT8) ;; \
	*) echo "not run: the emulator runs the x86-64 programs of .venv, and this is $$(uname -sm)" ;; \
	esac

conformance:  ## nbgrader's own tests, with its engine and with this one: docs/conformance.md; SUITES=<names> for some
	$(PREPARE) dev sandbox database
	@python -m tests.grading.conformance $(SUITES)

bench:  ## this engine beside nbgrader, and where the time goes: docs/benchmarks.md
	$(PREPARE) sandbox
	@PYTHONPATH=$(CURDIR)/tools python -P -m bench

matrix:  ## grade the stored answers again and write build/exercises; EXERCISES=<names> for some
	$(PREPARE) dev
	@python -m tests.matrix $(EXERCISES)

lab:  ## JupyterLab on the course
	$(PREPARE)
	@course lab

notebooks:  ## execute the reading notebooks whose code has changed since they ran, and record them
	$(PREPARE) dev
	@python -m tests.notebook_tools

site:  ## the static site, in build/site
	$(PREPARE) site
	@course site

newest: export COURSE_VENV := .venv-newest
# No lock: what pip finds is what is tried.
newest: export COURSE_LOCK := /dev/null
newest:  ## the claims and the reading notebooks with the newest packages, in .venv-newest
	@"$(PYTHON)" tools/newest.py

zoo test-zoo: export COURSE_VENV := .venv-zoo
zoo test-zoo: export COURSE_LOCK := requirements-zoo.lock
# llama.cpp is compiled: without its parts for pictures, and for any processor with AVX2 rather than for this one.
zoo test-zoo: export CMAKE_ARGS := -DMTMD_BUILD=OFF -DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON
zoo:  ## the environment of the zoo in .venv-zoo, and its notebook run
	@echo "$(ZOO_COSTS)"
	$(PREPARE) dev zoo
	@.venv-zoo/bin/python tools/zoo.py

test-zoo:  ## the page of the zoo and the claims about it, in its environment
	@echo "$(ZOO_COSTS)"
	$(PREPARE) dev zoo
	@.venv-zoo/bin/python -P -m pytest tests/test_zoo_page.py tests/test_zoo.py tests/test_claims.py -n 0

generate:  ## put the texts that come from course.yml and the exercises into README.md, notebooks/, solutions/ and labs/
	$(PREPARE) dev
	@python tools/generate.py

release:  ## write labs/ from solutions/, with references that the sandbox computes
	$(PREPARE) sandbox
	@course release

clean:  ## remove .venv and build/
	rm -rf .venv .venv-newest .venv-zoo build
