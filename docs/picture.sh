#!/usr/bin/env bash
# Makes docs/session.svg, the picture of the README: `docs/picture.sh CAPTURE.ansi`, or without an argument from a
# real `kraal demo` in a tmux of its own (which is needed for this alone).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
    exec cargo xtask picture "$1" >docs/session.svg
fi

cargo build --release
kraal="${CARGO_TARGET_DIR:-target}/release/kraal"
scratch="$(mktemp -d)"
tmux() { command tmux -L kraal-picture -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$scratch"' EXIT

tmux new-session -d -x 120 -y 34 "exec '$(realpath "$kraal")' demo"
# The demo is in its most telling moment when one of its agents asks for a permission.
for _ in $(seq 600); do
    tmux capture-pane -e -p >"$scratch/session.ansi"
    if grep -q blocked "$scratch/session.ansi" && grep -q done "$scratch/session.ansi"; then break; fi
    sleep 0.1
done
cargo xtask picture "$scratch/session.ansi" >docs/session.svg
tmux send-keys C-b d
for _ in $(seq 100); do
    tmux has-session 2>/dev/null || break
    sleep 0.1
done
