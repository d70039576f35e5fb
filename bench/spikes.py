#!/usr/bin/env python3
"""Figures for the decisions in docs/adr, from outside: spikes.py KRAAL {frames|recover}

frames   bytes of the private screen stream beside the bytes the real client writes to its terminal, for the same
         scenes: what the client gets against what a server that draws would have to send.
recover  50 panes with 10,000 lines each: kill -9 of the server until a new one has sent an attached client its first
         screen.

Standard library only. Everything runs in a home of its own, which is removed at the end.
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

COLS, ROWS = 200, 50

SCENES = {
    "one spinner": "import sys,time\nfor i in range(50):\n sys.stdout.write('\\r'+'|/-\\\\'[i%4]+' working'); sys.stdout.flush(); time.sleep(.1)",
    "full repaint, one counter changed": "import sys,time\nfor i in range(50):\n sys.stdout.write('\\x1b[?2026h\\x1b[2J\\x1b[H'+'\\r\\n'.join('row %02d '%r+'x'*60+(' %d'%i if r==7 else '') for r in range(40))+'\\x1b[?2026l'); sys.stdout.flush(); time.sleep(.1)",
    "scrolling text": "import time\nfor i in range(500):\n print('line %04d of a log that scrolls by'%i, flush=True); time.sleep(.01)",
    "true colour noise, every cell": "import random,sys,time\nr=random.Random(1)\nfor i in range(10):\n sys.stdout.write('\\x1b[H'+'\\r\\n'.join(''.join('\\x1b[38;2;%d;%d;%dm%c'%(r.randrange(256),r.randrange(256),r.randrange(256),33+r.randrange(90)) for _ in range(160)) for _ in range(44))); sys.stdout.flush(); time.sleep(.3)",
}


class Home:
    def __init__(self, exe):
        self.exe = exe
        self.root = tempfile.mkdtemp(prefix="kraal-spike-", dir="/tmp")
        for folder in ("home", "run", "config/kraal", "state", "work"):
            os.makedirs(os.path.join(self.root, folder))
        os.chmod(os.path.join(self.root, "run"), 0o700)
        with open(os.path.join(self.root, "config/kraal/config.toml"), "w") as f:
            f.write('shell = "/bin/sh"\n')
        path = lambda name: os.path.join(self.root, name)
        self.env = {"HOME": path("home"), "XDG_RUNTIME_DIR": path("run"), "XDG_CONFIG_HOME": path("config"),
                    "XDG_STATE_HOME": path("state"), "PATH": os.environ["PATH"], "TERM": "xterm-256color",
                    "COLORTERM": "truecolor", "LANG": "C.UTF-8", "SHELL": "/bin/sh"}

    def kraal(self, *args):
        done = subprocess.run([self.exe, *args], env=self.env, cwd=os.path.join(self.root, "work"),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"kraal {args}: {done.stderr.strip()}")
        return done.stdout

    def info(self):
        return json.loads(self.kraal("ls", "--json"))[0]["info"]

    def end(self):
        subprocess.run([self.exe, "kill"], env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)


class Stream(threading.Thread):
    """A client of the private stream that only counts."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(home.root, "run/kraal/main/api.sock"))
        attach = {"stream": 1, "area": {"cols": COLS - 28, "rows": ROWS - 2}}
        line = {"v": 1, "id": 1, "request": {"Verb": {"Attach": attach}}}
        self.socket.sendall(json.dumps(line).encode() + b"\n")
        self.screens = self.control = 0
        self.first_screen = threading.Event()

    def run(self):
        have = b""
        answered = False
        while True:
            try:
                part = self.socket.recv(1 << 20)
            except ConnectionResetError:
                return
            if not part:
                return
            have += part
            if not answered:
                if b"\n" not in have:
                    continue
                have = have.split(b"\n", 1)[1]
                answered = True
            while len(have) >= 5:
                length = struct.unpack("<I", have[:4])[0]
                if len(have) < 4 + length:
                    break
                if have[4] == 2:
                    self.screens += 4 + length
                    self.first_screen.set()
                else:
                    self.control += 4 + length
                have = have[4 + length:]


class Client(threading.Thread):
    """The real client on a terminal of ours; counts what it writes."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(os.path.join(home.root, "work"))
            os.execve(home.exe, [home.exe], home.env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
        self.written = 0

    def run(self):
        while True:
            try:
                select.select([self.fd], [], [])
                part = os.read(self.fd, 1 << 20)
            except OSError:
                return
            if not part:
                return
            self.written += len(part)
            if b"\x1b[c" in part:          # DA1, the fence of its questions
                os.write(self.fd, b"\x1b[?62;22c")


def wait(what, limit=60):
    end = time.time() + limit
    while not what():
        if time.time() > end:
            raise SystemExit("this did not come true in time")
        time.sleep(0.01)


def frames(exe):
    print("| scene | terminal bytes of the client (a drawing server would send these) | stream bytes |")
    print("|---|---|---|")
    for name, code in SCENES.items():
        home = Home(exe)
        try:
            script = os.path.join(home.root, "work/scene.py")
            with open(script, "w") as f:
                f.write("import time\ntime.sleep(2)\n" + code + "\nprint('\\x1b[0m')\ntime.sleep(600)\n")
            client = Client(home)
            client.start()
            wait(lambda: client.written > 500)
            home.kraal("run", "--tab", "--", sys.executable, script)
            stream = Stream(home)
            stream.start()
            time.sleep(1.5)
            before = client.written, stream.screens
            time.sleep(8.5)
            print(f"| {name} | {client.written - before[0]} | {stream.screens - before[1]} |", flush=True)
            os.kill(client.pid, signal.SIGTERM)
        finally:
            home.end()


def recover(exe):
    home = Home(exe)
    try:
        for _ in range(50):
            home.kraal("run", "--tab", "--no-focus", "--", "sh", "-c", "seq 1 10000; exec sleep 600")
        rows = json.loads(home.kraal("panes", "--json"))
        for row in rows:
            home.kraal("wait", "-p", str(row["pane"]), "--text", "10000")
        taken = []
        for _ in range(10):
            pid = home.info()["pid"]
            begun = time.perf_counter()
            os.kill(pid, signal.SIGKILL)
            while True:
                try:
                    stream = Stream(home)
                    stream.start()
                except OSError:            # nobody accepts yet
                    time.sleep(0.001)
                    continue
                while stream.is_alive() and not stream.first_screen.wait(0.01):
                    pass
                if stream.first_screen.is_set():
                    break                  # else it was the dying server that had taken the connection
            taken.append((time.perf_counter() - begun) * 1000)
            wait(lambda: home.info()["pid"] != pid)
        taken.sort()
        print(f"recovery of {len(rows)} panes with 10,000 lines each, kill -9 to the first screen: "
              f"median {taken[5]:.0f} ms, most {taken[-1]:.0f} ms of {len(taken)}")
    finally:
        home.end()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("frames", "recover"):
        raise SystemExit(__doc__)
    {"frames": frames, "recover": recover}[sys.argv[2]](os.path.realpath(sys.argv[1]))
