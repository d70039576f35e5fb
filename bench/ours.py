"""Adapter of the outside harness for this kraal, named `ours`: copy it into the harness's adapters folder.

It drives the ordinary command line. Nothing in kraal knows that it is measured.
"""
import json
import os
import socket

from adapters.base import Adapter


class Connection:
    """One connection to the API's socket: a request is one line of JSON, an answer is one line."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.answers = self.socket.makefile("rb")
        self.id = 0

    def call(self):
        self.id += 1
        self.socket.sendall(b'{"v":1,"id":%d,"request":"List"}\n' % self.id)
        answer = json.loads(self.answers.readline())
        if answer.get("id") != self.id or "response" not in answer:
            raise RuntimeError(repr(answer)[:300])

    def close(self):
        self.answers.close()
        self.socket.close()


class Mux(Adapter):
    name = "ours"
    binary = "kraal"                 # or MUXBENCH_OURS_BIN=/path/to/kraal
    comms = ("kraal",)               # client, server and keeper are one executable
    can = frozenset({"panes", "split", "detach", "redraw", "api"})
    detach_keys = b"\x02 d"

    def setup(self):
        folder = os.path.join(self.home, ".config/kraal")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w") as f:
            f.write(f'shell = "/bin/dash"\nscrollback = {self.scrollback}\n')

    def start_argv(self):
        return [self.bin]

    def attach_argv(self):
        return [self.bin, "attach"]

    def new_pane(self, cmd=None):
        self.cli("run", "--tab", "--no-focus", "--", *(cmd or ["/bin/dash"]))

    def split_pane(self, cmd):
        self.cli("run", "--right", "--no-focus", "--", *cmd)

    def api_argv(self):
        return [self.bin, "panes", "--json"]

    def api_connect(self):
        for folder, _, names in os.walk(os.path.join(self.home, "run")):
            if "api.sock" in names:
                return Connection(os.path.join(folder, "api.sock"))
        return None

    def stop(self):
        self.cli("kill", check=False, timeout=5)
