"""bench.py — a real `belay serve` in a process of its own that can be killed, a model and a webhook that answer as told,
and a WebSocket of a few lines: what the end-to-end tests stand on. Only Python's own library."""

import base64
import collections
import contextlib
import hashlib
import http.client
import http.server
import json
import os
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid
import zlib

PATIENCE = 60  # seconds that a condition is waited for on a loaded machine


def wait_for(what, condition, patience=PATIENCE):
    """The condition's first true value."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: it did not come in {patience} s")
        time.sleep(0.02)


def png(seed):
    """A whole PNG of 8 by 8 pixels, other bytes for every seed."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))

    pixels = hashlib.sha256(str(seed).encode()).digest() * 6
    rows = b"".join(b"\0" + pixels[i * 24:(i + 1) * 24] for i in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class _Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)


class Peer:
    """A server that hands each POST to `respond(body, headers)` → (status, body[, headers])."""

    def __init__(self, respond):
        self.requests = []
        peer = self

        class Handler(_Quiet):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                peer.requests.append((self.path, dict(self.headers), body))
                self.answer(*peer.respond(body, self.headers))

        self.respond = respond
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Model(Peer):
    """Workers AI: `answers` first, one for each call, then a good one. Counts calls by picture."""

    GOOD = (200, {"success": True, "result": [{"label": "CORAL REEF", "score": 0.9},
                                              {"label": "SEA ANEMONE", "score": 0.05}]})

    def __init__(self):
        self.answers = []
        self.calls = collections.Counter()
        self.gate = threading.Event()
        self.gate.set()
        self.lock = threading.Lock()
        super().__init__(self._classify)

    def _classify(self, body, _):
        with self.lock:
            self.calls[hashlib.sha256(body).hexdigest()] += 1
            answer = self.answers.pop(0) if self.answers else self.GOOD
        self.gate.wait(PATIENCE)
        return answer


class Server:
    """`belay serve` on a data folder. `point` is a failpoint to die at."""

    program = None  # set by main.py

    def __init__(self, folder, point=None, model=None, arguments=(), environment=None):
        self.folder = folder
        env = dict(os.environ, **(environment or {}))
        env.pop("BELAY_FAILPOINT", None)
        if point:
            env["BELAY_FAILPOINT"] = point
        command = [self.program, "serve", "--data", folder, "--listen", "127.0.0.1:0",
                   "--access-log", "off"]
        if "--rate-limit" not in arguments:
            command += ["--rate-limit", "0"]
        if model:
            command += ["--classifier", "workers-ai", "--workers-ai-account", "account",
                        "--workers-ai-url", model.url]
            env["BELAY_WORKERS_AI_TOKEN"] = "token"
        self.log = open(os.path.join(folder + ".log"), "ab")
        self.process = subprocess.Popen(command + list(arguments), env=env, stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.port = None
        for line in self.process.stdout:
            text = line.decode()
            if " is ready at http" in text:
                self.port = int(text.split(" is ready at ")[1].split()[0].rsplit(":", 1)[1])
                break
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        for _ in self.process.stdout:
            pass

    def __enter__(self):
        if self.port is None:
            self.process.wait()
            raise Died(f"the server ended before it was ready; see {self.log.name}")
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def died(self):
        return self.process.poll() is not None

    def call(self, method, path, body=None, headers=None, connection=None):
        """(status, JSON). Raises OSError or HTTPException if the server dies."""
        own = connection is None
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            headers = dict(headers or {})
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
                headers.setdefault("Content-Type", "application/json")
            elif isinstance(body, str):
                headers.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            if own:
                connection.close()

    def get(self, path):
        status, body = self.call("GET", path)
        assert status == 200, (path, status, body)
        return body

    def upload(self, name, content, workflow_type="image", connection=None, headers=None):
        line = uuid.uuid4().hex
        body = (f"--{line}\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\n{workflow_type}\r\n"
                f"--{line}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n"
                "Content-Type: application/octet-stream\r\n\r\n").encode() + content + f"\r\n--{line}--\r\n".encode()
        return self.call("POST", "/ingest/upload", body,
                         {"Content-Type": f"multipart/form-data; boundary={line}", **(headers or {})}, connection)

    def uploads(self):
        return self.get("/api/uploads?limit=500")["uploads"]

    def run(self, run_id):
        return self.get("/api/runs/" + urllib.parse.quote(run_id, safe=""))

    def await_status(self, run_id, *statuses):
        return wait_for(f"{run_id} {statuses}",
                        lambda: (lambda run: run if run["status"] in statuses else None)(self.run(run_id)))

    def await_upload(self, name, *statuses):
        def found():
            rows = [row for row in self.uploads() if row["name"] == name]
            return rows[0] if rows and rows[0]["status"] in statuses else None
        return wait_for(f"{name} {statuses}", found)

    def rss_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        return 0


class Died(Exception):
    pass


class Live:
    """A watcher of /api/live."""

    def __init__(self, port, after=None, token=None):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.settimeout(PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        path = "/api/live" + (f"?after={after}" if after is not None else "")
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n" +
                             (f"Authorization: Bearer {token}\r\n" if token else "") + "\r\n").encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self._more()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def _more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise Died("the feed ended")
        self.data += piece

    def _take(self, count):
        while len(self.data) < count:
            self._more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def next(self):
        """The next message; pings are answered on the way."""
        while True:
            first, second = self._take(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            payload = self._take(length)
            if first & 15 == 1:
                return json.loads(payload)
            if first & 15 == 9:
                mask = os.urandom(4)
                masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
                self.socket.sendall(bytes([0x8A, 0x80 | len(payload)]) + mask + masked)
            if first & 15 == 8:
                raise Died("the feed was closed")

    def until(self, *types):
        """All messages up to and with the first of one of the types."""
        seen = []
        while True:
            seen.append(self.next())
            if seen[-1]["type"] in types:
                return seen

    def close(self):
        self.socket.close()


def remove_old(prefix="belay-e2e-", seconds=24 * 3600):
    """What tests that were killed, or that failed, have left more than a day ago."""
    place = tempfile.gettempdir()
    for name in os.listdir(place):
        path = os.path.join(place, name)
        with contextlib.suppress(OSError):
            if name.startswith(prefix) and time.time() - os.stat(path).st_mtime > seconds:
                shutil.rmtree(path, ignore_errors=True)


remove_old()


class Folder:
    """A place of its own for each test; kept when the test failed."""

    def __init__(self, name):
        self.root = tempfile.mkdtemp(prefix=f"belay-e2e-{name}-")
        self.data = os.path.join(self.root, "data")
        os.mkdir(self.data)

    def rows(self, sql, *values):
        database = sqlite3.connect(f"file:{self.data}/belay.db?mode=ro", uri=True)
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


def created(key, etag="", time_text=None, shape="r2"):
    """A notification that an object is there."""
    at = time_text or time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    if shape == "r2":
        return {"account": "a", "action": "PutObject", "bucket": "b", "eventTime": at,
                "object": {"key": key, "size": 1, "eTag": etag}}
    return {"Records": [{"eventName": "ObjectCreated:Put", "eventTime": at,
                         "s3": {"bucket": {"name": "b"}, "object": {"key": key, "size": 1, "eTag": etag}}}]}


def deleted(key, time_text=None):
    message = created(key, "", time_text)
    message["action"] = "DeleteObject"
    return message
