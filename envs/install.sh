#!/bin/sh
# Installs the pinned packages and sentflow itself: sh envs/install.sh, in an activated environment, or with its Python in $PYTHON.
# Four calls of pip, because pip checks hashes in all of a call or in none, and builds only with what an earlier call installed.
set -eu
cd "$(dirname "$0")/.."

install() {
  "${PYTHON:-python}" -m pip install --quiet "$@"
}

# No package is built in isolation: pip would fetch what builds it without checking any hash.
install --require-hashes --no-deps -r envs/requirements-build.txt
install --require-hashes --no-deps --no-build-isolation --use-pep517 -r envs/requirements.txt
# torch alone has no hash here: requirements-torch.in says why. With its dependencies, which for CUDA are many.
install torch --constraint envs/requirements-torch.in
install --no-deps --no-build-isolation --editable .
# Compile the loops of the probes now, so that the first jobs need not, each for itself.
"${PYTHON:-python}" -c "from sentflow.probing.loops import compile_all; compile_all()"
