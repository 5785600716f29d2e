# Each target does all set-up itself (tools/prepare.py), and only once. Choose another Python with PYTHON=python3.12. On Linux,
# TORCH_INDEX=<address of PyTorch's CPU wheels> gives the small build of torch; README.md has the address.
.DEFAULT_GOAL := help
.PHONY: help install demo test test-all lab notebooks release clean

# The first one that is suitable; prepare.py says so if none is.
PYTHON ?= $(or $(shell for python in .venv/bin/python python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo "$$python" && break; done),python3)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREPARE = @"$(PYTHON)" tools/prepare.py

# nbgrader starts alembic by name. Everything numerical runs on one thread: results stay the same and a busy machine stays fast.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export OMP_NUM_THREADS := 1
export TORCH_INDEX

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

install:  ## set up .venv
	$(PREPARE)

demo:  ## release the labs and grade a bundled class in the sandbox
	$(PREPARE) sandbox
	@python demo/run.py

test:  ## every behaviour, on a few seeds
	$(PREPARE) sandbox browser
	@pytest tests -m "not slow" -n $(JOBS) --dist loadgroup

test-all:  ## the same, on many seeds, and everything that takes long
	$(PREPARE) sandbox browser
	@pytest tests -n $(JOBS) --dist loadgroup

lab:  ## JupyterLab on the course
	$(PREPARE)
	@course lab

notebooks:  ## execute the reading notebooks again
	$(PREPARE)
	@python tests/notebook_tools.py

release:  ## write labs/ from solutions/
	$(PREPARE) sandbox
	@course release

clean:  ## remove .venv and build/
	rm -rf .venv build
