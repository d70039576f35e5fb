"""Adapter of the conformance harness for this kraal: `--mux ours_conformance:Ours=/path/to/kraal`.

It drives the ordinary command line. Frames, bars and the sidebar stay: the harness resizes the outer terminal until
the pane has the size a case wants.
"""
import json
import os
import subprocess
import time

import muxlib


class Ours(muxlib.Mux):
    name = "ours"
    has_ansi = True
    has_history = True
    chrome = (2, 4)                  # a first guess of what frames and bars take; fit() corrects it

    def __init__(self, binary=None, tag=""):
        super().__init__(binary or "kraal", tag)
        self.main = None

    def cmd(self, *args):
        return [self.binary, "-s", self.session, *args]

    def prepare(self, argv):
        folder = self.dir + "/cfg/kraal"
        os.makedirs(folder, exist_ok=True)
        path = folder + "/config.toml"
        if not os.path.exists(path):
            with open(path, "w") as f:
                f.write('shell = "/bin/sh"\nscrollback = 50000\n')

    def start_argv(self, cols, rows, argv):
        return self.cmd()

    def after_start(self, argv):
        """The first pane is a shell; the case's program gets a tab of its own, in front."""
        last = None
        for _ in range(100):
            try:
                last = self.cli(self.cmd("run", "--tab", "--close-on-exit", "--", *argv), timeout=10)
            except subprocess.TimeoutExpired:
                continue
            if last.returncode == 0:
                self.main = last.stdout.decode().split()[-1]
                return
            time.sleep(0.1)
        raise RuntimeError("kraal run: " + (last.stderr.decode(errors="replace")[:300] if last else "no answer"))

    def attach_argv(self):
        return self.cmd("attach")

    def capture(self, ansi=False, history=False, pane=None):
        args = ["read", "-p", pane or self.main]
        if ansi:
            args.append("--ansi")
        if history:
            args += ["--lines", "10000"]
        return self.cli(self.cmd(*args), check=True).stdout.decode("utf-8", "replace")

    def new_pane_argv(self, argv):
        return self.cmd("run", "--tab", "--no-focus", "--close-on-exit", "--", *argv)

    def list_argv(self):
        return self.cmd("panes")

    def pane_ids(self):
        out = self.cli(self.cmd("panes", "--json")).stdout
        return [str(row["pane"]) for row in json.loads(out or b"[]")]

    def kill_pane_argv(self, pane):
        return self.cmd("close", pane)

    def restart_argv(self):
        return self.cmd()

    def kill_server_argv(self):
        return self.cmd("kill")

    def is_server(self, cmdline):
        """The server, not the keeper that starts it again (`__keeper`) nor a client."""
        return cmdline[1:2] == ["__server"]


class Kept(Ours):
    """The same with panes that stay when their program ends, which is how they are opened by default.

    For `robust.py --part restart` only: it kills the panes' programs once the server is dead, and a pane opened
    with `--close-on-exit` then closes, as it was asked to.
    """
    name = "kept"

    def new_pane_argv(self, argv):
        return self.cmd("run", "--tab", "--no-focus", "--", *argv)
