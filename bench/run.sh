#!/usr/bin/env bash
# Measures this kraal with an outside harness: bench/run.sh HARNESS [OUT] [-- OPTIONS OF THE HARNESS]
#
# HARNESS is a folder with bench.py and conformance/run.py; it is copied, so it may be read-only. Results go
# to OUT (target/bench by default). KRAAL_BIN names another binary than the release build of this repository.
# WHAT=bench or WHAT=conformance runs one of the two; PEERS are other adapters to run beside it; SRC is the folder
# of checkouts that conformance needs, SUITES the suites to run.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(dirname "$here")"
usage="usage: bench/run.sh HARNESS [OUT] [-- OPTIONS]"

harness="${1:?$usage}"
shift
out="$root/target/bench"
if [[ $# -gt 0 && $1 != -- ]]; then
    out="$1"
    shift
fi
if [[ ${1:-} == -- ]]; then shift; fi
what="${WHAT:-both}"

if [[ -z ${KRAAL_BIN:-} ]]; then
    (cd "$root" && cargo build --release --package kraal-cli)
    KRAAL_BIN="${CARGO_TARGET_DIR:-$root/target}/release/kraal"
fi
mkdir -p "$out"
out="$(cd "$out" && pwd)"

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
cp -r "$harness/." "$copy/"
chmod -R u+w "$copy"
cp "$here/ours.py" "$copy/adapters/ours.py"
cp "$here/ours_conformance.py" "$copy/conformance/ours_conformance.py"

if [[ $what != conformance ]]; then
    (cd "$copy" && MUXBENCH_OURS_BIN="$KRAAL_BIN" python3 bench.py --mux "${PEERS:-}${PEERS:+,}ours" --out "$out/bench.json" "$@")
fi
if [[ $what != bench ]]; then
    export CONF_SCRATCH="${CONF_SCRATCH:-$copy/s}"
    mkdir -p "$CONF_SCRATCH"
    src=()
    if [[ -n ${SRC:-} ]]; then src+=(--src "$SRC"); fi
    if [[ -n ${SUITES:-} ]]; then src+=(--suite "$SUITES"); fi
    cd "$copy/conformance"
    python3 run.py --mux "ours_conformance:Ours=$KRAAL_BIN" "${src[@]}" --out "$out/conformance"
    python3 robust.py --mux "ours_conformance:Ours=$KRAAL_BIN" --out "$out/conformance"
    python3 compare.py "$out/conformance"
fi
