#!/bin/sh
# Installs the pinned packages and sentflow itself: sh envs/install.sh, in an activated environment, or with its Python in $PYTHON.
# Several calls, because hashes are checked in all of a call or in none, and a build needs what an earlier call installed.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python}

with_pip() {
  "$python" -m pip install --quiet --no-compile "$@"
}

# By uv, which is faster. It reads no settings of pip: where it cannot reach the package index, pip installs the same.
install() {
  "$python" -m uv pip install --quiet --system-certs --python "$python" "$@" || with_pip --use-pep517 "$@"
}

# No package is built in isolation: what builds it would be fetched without checking any hash.
with_pip --require-hashes --no-deps -r envs/requirements-build.txt
install --require-hashes --no-deps --no-build-isolation -r envs/requirements.txt
# torch alone has no hash here: requirements-torch.in says why. With its dependencies, which for CUDA are many. By pip,
# whose settings may name places with builds for CPUs, ROCm or XPU.
with_pip torch --constraint envs/requirements-torch.in
install --no-deps --no-build-isolation --editable .
# Compile on all cores what is no test, and then the loops of the probes, so that the first jobs need not, each for itself.
# Without errors: torch has files for newer Pythons.
folder=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m compileall -qq -j 0 -x /tests/ "$folder" || true
"$python" -c "from sentflow.probing.loops import compile_all; compile_all()"
