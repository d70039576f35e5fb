#!/usr/bin/env bash
# Makes docs/session.svg, the picture of the README, from a real `kraal demo` in a tmux of its own (needed for this
# alone), or from a capture: docs/picture.sh [CAPTURE.ansi]. KRAAL_BIN names another binary than the release build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
    cargo xtask picture "$1" >docs/session.svg
    exit
fi

if [[ -z ${KRAAL_BIN:-} ]]; then
    cargo build --release
    KRAAL_BIN="${CARGO_TARGET_DIR:-target}/release/kraal"
fi
scratch="$(mktemp -d)"
tmux() { command tmux -L kraal-picture -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$scratch"' EXIT

tmux new-session -d -x 120 -y 34 "exec env SHELL=/bin/sh PS1='$ ' COLORTERM=truecolor '$(realpath "$KRAAL_BIN")' demo"
tmux set -g default-terminal tmux-256color
typed=""
# The demo says most when one of its agents asks for a permission, one works and one is done.
for _ in $(seq 600); do
    tmux capture-pane -e -p >"$scratch/session.ansi"
    if [[ -z $typed ]] && grep -q blocked "$scratch/session.ansi"; then
        tmux send-keys "git log --oneline" Enter
        typed=yes
    elif grep -q blocked "$scratch/session.ansi" && grep -q ' done' "$scratch/session.ansi"; then
        break
    fi
    sleep 0.1
done
cargo xtask picture "$scratch/session.ansi" >docs/session.svg
tmux send-keys C-b d
for _ in $(seq 100); do
    tmux has-session 2>/dev/null || break
    sleep 0.1
done
