#!/usr/bin/env python3
"""attack_test.py — what a stranger may send to the server, and that it costs nobody but the stranger.

    tests/e2e/attack_test.py build/dev/belay [-k NAME]

Each test throws one kind of attack at a real server: bytes that two HTTP parsers read differently, too much of
everything, too slowly, paths that lead out of the folder, pages of other sites, guessed tokens, addresses that lead
inside. After each the server still answers, and nothing lies outside of its folder."""

import concurrent.futures
import contextlib
import gzip
import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True
import bench
from bench import Folder, Live, Model, Server, created, png, wait_for

LOST = (OSError, http.client.HTTPException, bench.Died)


def raw(port, data, patience=5.0):
    """Everything that the server says to these bytes until it closes, or is silent for a while."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
        return heard(connection, patience)


def heard(connection, patience=5.0, enough=lambda text: False):
    text = b""
    connection.settimeout(patience)
    with contextlib.suppress(OSError):
        while piece := connection.recv(65536):
            text += piece
            if enough(text):
                break
    return text


def statuses(text):
    """The status of each answer in what a connection said."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) [A-Z]", text)]


class Attack(unittest.TestCase):
    """One server for all tests of a class: an attack that hurts it is seen by the next one, too."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder(cls.__name__)
        cls.model = Model()
        cls.server = Server(cls.folder.data, None, cls.model, arguments=cls.arguments).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.model.close()
        cls.folder.remove()

    def tearDown(self):
        self.assertFalse(self.server.died(), "the server is alive")
        self.assertEqual(self.server.call("GET", "/healthz")[0], 200)
        self.assertEqual(sorted(os.listdir(self.folder.root)), ["data", "data.log"], "nothing outside of its folder")

    @property
    def port(self):
        return self.server.port


class Framing(Attack):
    """Where a request ends is said once, or the request is refused: two parsers must not disagree."""

    SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def refused(self, head, body=b""):
        """One answer, a refusal, and the connection is over: what follows is never taken for a request."""
        text = raw(self.port, head + body + self.SMUGGLED)
        told = statuses(text)
        self.assertEqual(len(told), 1, text)
        self.assertGreaterEqual(told[0], 400, text)
        self.assertLess(told[0], 500, text)
        self.assertIn(b"Connection: close", text)

    def post(self, *headers, path="/api/approvals", version=b"1.1"):
        return (b"POST " + path.encode() + b" HTTP/" + version + b"\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n" + b"".join(headers) + b"\r\n")

    def test_a_length_and_chunks_at_once(self):
        for headers in ([b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"],
                        [b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n"]):
            self.refused(self.post(*headers), b"0\r\n\r\n")

    def test_two_lengths(self):
        self.refused(self.post(b"Content-Length: 5\r\n", b"Content-Length: 6\r\n"), b"0\r\n\r\n")
        self.refused(self.post(b"Content-Length: 5, 6\r\n"), b"0\r\n\r\n")

    def test_a_length_that_is_no_number(self):
        for value in (b"+5", b"-1", b"0x5", b"5 5", b"18446744073709551621", b"99999999999999999999999", b"5.0", b""):
            with self.subTest(value=value):
                self.refused(self.post(b"Content-Length: " + value + b"\r\n"), b"hello")

    def test_encodings_that_hide_chunks(self):
        for value in (b"chunked, identity", b"xchunked", b"chunked\x0b", b"gzip, chunked", b"identity", b"\"chunked\"",
                      b"chunked\r\nTransfer-Encoding: identity"):
            with self.subTest(value=value):
                self.refused(self.post(b"Transfer-Encoding: " + value + b"\r\n"), b"0\r\n\r\n")

    def test_chunks_in_http_1_0(self):
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n", version=b"1.0"), b"0\r\n\r\n")

    def test_a_name_with_a_blank_before_its_colon(self):
        self.refused(self.post(b"Transfer-Encoding : chunked\r\n"), b"0\r\n\r\n")
        self.refused(self.post(b"Content-Length : 5\r\n"), b"hello")

    def test_a_folded_header(self):
        self.refused(self.post(b"X-Long: a\r\n b\r\n", b"Content-Length: 0\r\n"))
        self.refused(self.post(b"Transfer-Encoding:\r\n chunked\r\n"), b"0\r\n\r\n")
        self.refused(b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n")

    def test_lines_that_end_without_a_carriage_return(self):
        self.refused(b"GET /healthz HTTP/1.1\nHost: localhost\n\n")
        self.refused(b"GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n")

    def test_characters_that_do_not_belong_into_headers(self):
        for bad in (b"X\x00: y", b"X: a\x00b", b"X: a\rb", b": y", b"X y: z", b"X"):
            with self.subTest(bad=bad):
                self.refused(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + bad + b"\r\n\r\n")

    def test_sizes_of_chunks_that_are_none(self):
        for size in (b"-1", b"0x5", b"fffffffffffffffff", b"g", b"", b" 5", b"5\n", b"5;" + b"a" * 5_000_000):
            with self.subTest(size=size[:20]):
                self.refused(self.post(b"Transfer-Encoding: chunked\r\n"), size + b"\r\nhello\r\n0\r\n\r\n")

    def test_a_chunk_that_is_longer_than_it_says(self):
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n"), b"2\r\nhello\r\n0\r\n\r\n")

    def test_two_hosts_or_none(self):
        for head in (b"Host: localhost\r\nHost: evil.example\r\n", b"", b"Host:\r\n"):
            text = raw(self.port, b"GET /healthz HTTP/1.1\r\n" + head + b"\r\n", 1)
            self.assertEqual(statuses(text), [400], text)

    def test_a_tunnel_and_other_methods(self):
        for line in (b"CONNECT example.org:80 HTTP/1.1", b"TRACE / HTTP/1.1", b"FOO / HTTP/1.1", b"GET / HTTP/3.0",
                     b"GET  / HTTP/1.1", b"GET / HTTP/1.1 ", b"\x16\x03\x01\x02\x00\x01\x00\x01"):
            with self.subTest(line=line):
                text = raw(self.port, line + b"\r\nHost: localhost\r\n\r\n", 1)
                self.assertTrue(all(400 <= status < 500 for status in statuses(text)), text)

    def test_requests_that_are_sent_ahead_are_answered_in_order(self):
        """The way pipelining should be: what is no attack still works."""
        get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            connection.sendall(get * 20)
            text = heard(connection, 10, lambda text: len(statuses(text)) == 20)
        self.assertEqual(statuses(text), [200] * 20)


class Multipart(Attack):
    LINE = "line"

    def send(self, body, content_type=None):
        if isinstance(body, str):
            body = body.encode()
        return self.server.call("POST", "/ingest/upload", body,
                                {"Content-Type": content_type or f"multipart/form-data; boundary={self.LINE}"})

    def part(self, *headers, content="x"):
        return f"--{self.LINE}\r\n" + "".join(header + "\r\n" for header in headers) + f"\r\n{content}\r\n"

    def refused(self, body, codes=("invalid_multipart",), content_type=None):
        status, answer = self.send(body, content_type)
        self.assertGreaterEqual(status, 400, answer)
        self.assertIn(answer["error"]["code"], codes)

    def test_boundaries_that_are_none(self):
        for value in ("multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "a" * 71,
                      "multipart/form-data; boundary=\"a\nb\"".replace("\n", ""), "multipart/mixed; boundary=line",
                      "text/plain", "multipart/form-data; boundary=a\"b", "multipart/form-data; boundary=é"):
            with self.subTest(value=value):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                connection.putrequest("POST", "/ingest/upload")
                connection.putheader("Content-Type", value.encode("latin-1"))
                connection.putheader("Content-Length", "4")
                connection.endheaders(b"abcd")
                answer = connection.getresponse()
                self.assertIn(answer.status, (400, 415), answer.read())
                connection.close()

    def test_two_boundaries_in_one_header(self):
        """Whoever looked at the other one saw another form."""
        body = "--one\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.png\"\r\n\r\nx\r\n--one--\r\n"
        self.refused(body, ("unsupported_media_type", "invalid_multipart"),
                     "multipart/form-data; boundary=one; boundary=two")

    def test_a_part_with_two_dispositions_or_two_names(self):
        disposition = "Content-Disposition: form-data; name=\"files\"; filename=\"a.png\""
        self.refused(self.part(disposition, disposition.replace("a.png", "b.png")) + "--line--\r\n")
        self.refused(self.part("Content-Disposition: form-data; name=\"files\"; name=\"workflow_type\"") + "--line--\r\n")
        self.refused(self.part("Content-Disposition: form-data; name=\"files\"; filename=\"a.png\"; filename=\"b.png\"") +
                     "--line--\r\n")

    def test_parts_that_are_broken(self):
        good = "Content-Disposition: form-data; name=\"files\"; filename=\"a.png\""
        for body in ("", "--line--\r\n", "--line\r\n", self.part(good), self.part(), self.part("nonsense"),
                     self.part(good).replace("\r\n", "\n") + "--line--\n", self.part("Content-Disposition: form-data"),
                     self.part(good, " folded: yes") + "--line--\r\n", self.part("Content-Disposition: attachment; name=\"a\""),
                     self.part(good, "Content-Transfer-Encoding: base64") + "--line--\r\n",
                     "--linex\r\n" + self.part(good)[8:] + "--line--\r\n", "x" * 10_000):
            with self.subTest(body=body[:60]):
                self.refused(body, ("invalid_multipart", "bad_request", "invalid_parameter"))

    def test_too_much_of_everything(self):
        good = "Content-Disposition: form-data; name=\"files\"; filename=\"{}.png\""
        for what, body in (
                ("headers of a part", self.part(good.format("a"), "X: " + "y" * 10_000) + "--line--\r\n"),
                ("headers without end", "--line\r\n" + "X: y\r\n" * 10_000),
                ("parts", self.part("Content-Disposition: form-data; name=\"a\"") * 1001 + "--line--\r\n"),
                ("files", "".join(self.part(good.format(i)) for i in range(101)) + "--line--\r\n"),
                ("a field", self.part("Content-Disposition: form-data; name=\"a\"", content="y" * 70_000) + "--line--\r\n"),
                ("fields", self.part("Content-Disposition: form-data; name=\"a\"", content="y" * 60_000) * 20 +
                 "--line--\r\n")):
            with self.subTest(what=what):
                self.refused(body, ("payload_too_large",))
        self.refused(self.part(good.format("a")) + "--line--\r\n" + "z" * 10_000)

    def test_names_of_fields_without_measure(self):
        name = "n" * 7_000
        status, answer = self.send(self.part(f"Content-Disposition: form-data; name=\"{name}\"; filename=\"a.png\"",
                                             content="x") + "--line--\r\n")
        self.assertEqual((status, answer["uploads"]), (400, []))
        self.assertLess(len(json.dumps(answer)), 2_000, "a message does not repeat what it was sent")

    def test_nothing_half_written_stays(self):
        """Cut off in the middle of a file: its temporary file goes."""
        temp = os.path.join(self.folder.data, "objects", "temp")
        head = (f"POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=line\r\n"
                f"Content-Length: 10000000\r\n\r\n--line\r\nContent-Disposition: form-data; name=\"files\"; "
                f"filename=\"big.png\"\r\n\r\n").encode()
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(head + b"x" * 1_000_000)
        wait_for("the temporary files to go", lambda: os.listdir(temp) == [])


class Oversized(Attack):
    arguments = ("--max-upload", "1MiB")

    def test_a_line_and_headers_that_are_too_long(self):
        for request in (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
                        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
                        b"GET /" + b"a" * 10_000_000):
            self.assertEqual(statuses(raw(self.port, request)), [431])

    def test_queries_that_are_too_long(self):
        for path in ("/api/runs?q=" + "q" * 10_000, "/api/runs?limit=" + "9" * 5_000, "/api/runs?cursor=" + "A" * 9_000,
                     "/api/runs?" + "&".join(f"a{i}=1" for i in range(1_000)), "/api/runs/" + "r" * 10_000,
                     "/api/search?q=" + "w+" * 4_000, "/api/runs?limit=-1", "/api/runs?limit=1e9", "/api/runs?q=%zz"):
            with self.subTest(path=path[:40]):
                status, answer = self.server.call("GET", path)
                self.assertIn(status, (200, 400, 404), answer)
                self.assertLess(len(json.dumps(answer)), 5_000)

    def test_bodies_that_are_too_large(self):
        line = "line"
        head = f"--{line}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.png\"\r\n\r\n".encode()
        status, answer = self.server.call("POST", "/ingest/upload", head + b"x" * 2_000_000,
                                          {"Content-Type": f"multipart/form-data; boundary={line}"})
        self.assertEqual((status, answer["error"]["code"]), (413, "payload_too_large"))
        # Said to be small, and without a length at all.
        chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        text = raw(self.port, b"POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                   b"Content-Type: multipart/form-data; boundary=line\r\n\r\n" +
                   b"%x\r\n" % len(head) + head + b"\r\n" + chunk * 40 + b"0\r\n\r\n")
        self.assertEqual(statuses(text), [413])

    def test_json_that_is_too_large_or_too_deep(self):
        document = self.server.get("/openapi.json")
        deep = "[" * 100_000
        asked = 0
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if "application/json" not in operation.get("requestBody", {}).get("content", {}):
                    continue
                target = path.replace("{", "").replace("}", "")
                for body in (deep, deep + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000, "{", "", "null",
                             '{"title": "\ud800"}'.encode("utf-8", "surrogatepass"), b"\xff\xfe", '"' + "a" * 3_000_000):
                    with self.subTest(method=method, path=path, body=body[:10]):
                        status, _ = self.server.call(method.upper(), target, body, {"Content-Type": "application/json"})
                        self.assertLess(status, 500)
                asked += 1
        self.assertGreater(asked, 10)

    def test_frames_that_are_too_large(self):
        for frame in (bytes([0x81, 0xFF]) + (1 << 40).to_bytes(8, "big") + b"mask" + b"x" * 1000,  # a terabyte is announced
                      bytes([0x81, 0xFE]) + (60_000).to_bytes(2, "big") + b"mask" + b"x" * 60_000,
                      bytes([0x89, 0xFE]) + (1_000).to_bytes(2, "big") + b"mask" + b"x" * 1_000,  # a ping has 125 at most
                      bytes([0x81, 0x05]) + b"plain",  # without a mask
                      bytes([0x83, 0x80]) + b"mask",  # a kind that there is not
                      bytes([0xF1, 0x80]) + b"mask"):  # reserved bits
            live = Live(self.port)
            live.next()
            with contextlib.suppress(OSError):
                live.socket.sendall(frame)
            with self.assertRaises(LOST):
                for _ in range(10):
                    live.next()
            live.close()

    def test_frames_in_pieces_without_end(self):
        live = Live(self.port)
        live.next()
        with self.assertRaises(LOST):
            live.socket.sendall(bytes([0x01, 0x81]) + b"mask" + b"x")
            for _ in range(100_000):
                live.socket.sendall(bytes([0x00, 0x81]) + b"mask" + b"x")
            live.next()
        live.close()

    def test_more_connections_than_are_taken(self):
        small = Folder("connections")
        with Server(small.data, None, self.model, arguments=["--max-connections", "20"]) as server:
            held = [socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(20)]
            wait_for("a refusal", lambda: statuses(
                raw(server.port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 1)) == [503])
            for connection in held:
                connection.close()
            wait_for("room again", lambda: statuses(
                raw(server.port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1)) == [200])
        small.remove()


class Slow(Attack):
    arguments = ("--header-time", "1s", "--body-time", "1s", "--idle-time", "1s", "--max-connections", "500")

    def drip(self, connection, text, every=0.1):
        """A byte now and then, until the server has had enough. What it said, and after how long."""
        began = time.monotonic()
        connection.settimeout(every)
        for byte in text:
            try:
                connection.sendall(bytes([byte]))
                if said := connection.recv(65536):
                    return said, time.monotonic() - began
                return b"", time.monotonic() - began
            except TimeoutError:
                continue
            except OSError:
                return b"", time.monotonic() - began
        self.fail("it took all of it")

    def test_headers_that_never_end(self):
        """Three hundred at once; who comes meanwhile is served."""
        held = [socket.create_connection(("127.0.0.1", self.port), 10) for _ in range(300)]
        for connection in held:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-")
        began = time.monotonic()
        self.assertEqual(self.server.call("GET", "/healthz")[0], 200)
        self.assertLess(time.monotonic() - began, 1)
        said, took = self.drip(held[0], b"slow" * 100)
        self.assertEqual(statuses(said), [408])
        self.assertLess(took, 5)
        for connection in held[1:]:
            self.assertEqual(statuses(heard(connection, 5)), [408])
            connection.close()
        held[0].close()

    def test_a_body_that_never_ends(self):
        for path, kind in (("/api/approvals", b"application/json"),
                           ("/ingest/upload", b"multipart/form-data; boundary=line")):
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(b"POST " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + kind +
                                   b"\r\nContent-Length: 10000\r\n\r\n")
                said, took = self.drip(connection, b"-" * 200)
                self.assertEqual(statuses(said), [408])
                self.assertLess(took, 5)

    def test_a_connection_that_says_nothing(self):
        for first in (b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(first)
                began = time.monotonic()
                self.assertEqual(statuses(heard(connection, 10)), [200] if first else [])
                self.assertLess(time.monotonic() - began, 5)

    def test_a_client_that_does_not_read(self):
        """Its answer waits in vain, and is given up."""
        big = b"\x89PNG\r\n\x1a\n" + os.urandom(16_000_000)
        _, answer = self.server.upload("big.png", big)
        path = f"/api/files/{answer['uploads'][0]['file_id']}/content"
        before = self.connections()
        held = []
        for _ in range(10):
            connection = socket.create_connection(("127.0.0.1", self.port), 10)
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            held.append(connection)
        # Sixteen megabytes at a kilobyte a second would be hours: the time for what was written is what counts.
        wait_for("them to be cut", lambda: self.connections() <= before, 20)
        for connection in held:
            connection.close()

    def connections(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return int(float(next(line.split()[1] for line in text.splitlines()
                              if line.startswith("belay_http_connections "))))


class Traversal(Attack):
    UP = ("../../../../../../etc/passwd", "..%2f..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
          "..\\..\\..\\etc\\passwd", "%2e%2e%5c%2e%2e%5cetc%5cpasswd", "....//....//etc/passwd", "/etc/passwd",
          "..%252f..%252fetc%252fpasswd", "..%c0%af..%c0%afetc/passwd", ".%00./etc/passwd", "belay.db", "./../belay.db",
          "objects/temp", "%00", "..", ".")

    def test_paths_of_the_page(self):
        for up in self.UP:
            for path in ("/" + up, "/assets/" + up, "/api/" + up, "//" + up):
                with self.subTest(path=path):
                    text = raw(self.port, b"GET " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\n"
                               b"Connection: close\r\n\r\n")
                    self.assertNotIn(b"root:", text)
                    self.assertNotIn(b"SQLite format", text)
                    self.assertTrue(all(status < 500 for status in statuses(text)), text[:200])

    def test_every_parameter_of_every_path(self):
        """From the description, so that a new endpoint is tried as well."""
        document = self.server.get("/openapi.json")
        tried = 0
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                names = [p["name"] for p in operation["parameters"] if p["in"] == "path"]
                queries = [p["name"] for p in operation["parameters"] if p["in"] == "query"]
                if path == "/api/live":
                    continue
                for up in self.UP[:8]:
                    target = path
                    for name in names:
                        target = target.replace("{" + name + "}", urllib.parse.quote(up, safe="%"))
                    targets = [target] if names else []
                    targets += [f"{target}?{name}={urllib.parse.quote(up, safe='%')}" for name in queries]
                    for one in targets:
                        with self.subTest(method=method, path=one):
                            text = raw(self.port, f"{method.upper()} {one} HTTP/1.1\r\nHost: localhost\r\n"
                                       "Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
                            self.assertNotIn(b"root:x", text)
                            self.assertTrue(statuses(text) and all(status < 500 for status in statuses(text)), text[:300])
                            tried += 1
        self.assertGreater(tried, 100)

    def test_names_of_files(self):
        bodies = []
        for number, name in enumerate([urllib.parse.unquote(up, errors="replace") for up in self.UP] + [
                "a\r\nSet-Cookie: x=y.png", "\"; name=\"x.png", "<script>.png", "a" * 5_000 + ".png", "CON", "-rf", "~",
                "$(touch x)", "\u202egnp.exe", "a\x1b[2Jb.png"]):
            bodies.append((number, name, f"filename=\"{name.replace(chr(92), chr(92) * 2)}\""))
            bodies.append((number + 100, name, "filename*=UTF-8''" + urllib.parse.quote(name, safe="")))
        stored = []
        for number, name, parameter in bodies:
            with self.subTest(parameter=parameter[:60]):
                body = (b"--line\r\nContent-Disposition: form-data; name=\"files\"; " + parameter.encode() +
                        b"\r\n\r\n" + png(number) + b"\r\n--line--\r\n")
                status, answer = self.server.call("POST", "/ingest/upload", body,
                                                  {"Content-Type": "multipart/form-data; boundary=line"})
                self.assertIn(status, (202, 400), answer)
                for upload in (answer or {}).get("uploads", []):
                    self.assertNotIn("..", upload["key"].split("/"))
                    self.assertFalse(set(upload["name"]) & set("/\r\n\0\x1b"), upload["name"])
                    stored.append(upload)
        self.assertGreater(len(stored), 20)
        for upload in stored:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", f"/api/files/{upload['file_id']}/content")
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertIsNone(response.getheader("Set-Cookie"))
            self.assertEqual(response.getheader("X-Content-Type-Options"), "nosniff")
            self.assertTrue(response.read().startswith(b"\x89PNG"))
            connection.close()
        self.nothing_led_astray()

    def test_keys_of_notifications(self):
        keys = ["default/" + up for up in self.UP] + ["../x/y", "/etc/passwd", "default", "default/", "", "default//x",
                                                      "other/x", "default/a\0b", "default/" + "a" * 5_000, "a\nb/c"]
        for key in keys:
            for shape in ("r2", "s3"):
                with self.subTest(key=key[:40], shape=shape):
                    status, answer = self.server.call("POST", "/events/objects", created(key, shape=shape))
                    self.assertEqual(status, 202, answer)
        # What cannot be a key is told at once; what can be is looked for, and not found.
        messages = self.server.get("/api/inbox?limit=500")["messages"]
        self.assertGreaterEqual(len(messages), len(keys))
        self.nothing_led_astray()

    def nothing_led_astray(self):
        """What was stored is a plain file under the server's folder, readable by its owner only, and run by nobody."""
        root = os.path.realpath(self.folder.data)
        for folder, _, files in os.walk(root):
            for name in files:
                path = os.path.join(folder, name)
                self.assertEqual(os.path.realpath(path), path)
                self.assertEqual(os.stat(path).st_mode & 0o111, 0, path)


class Pages(Attack):
    """What a page of another site makes a browser send, to a server without tokens on this machine."""

    def walk(self, wanted):
        for path, methods in self.server.get("/openapi.json")["paths"].items():
            for method, operation in methods.items():
                if wanted(path, method, operation):
                    yield method.upper(), path.replace("{", "").replace("}", ""), operation

    def ask(self, method, path, headers):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        text = raw(self.port, f"{method} {path} HTTP/1.1\r\n{lines}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
        self.assertEqual(len(statuses(text)), 1, text)
        return statuses(text)[0], text

    def test_no_page_of_another_site_changes_anything(self):
        changes = list(self.walk(lambda path, method, _: method in ("post", "put", "patch", "delete")))
        self.assertGreater(len(changes), 15)
        for method, path, _ in changes:
            for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                            {"Origin": "http://localhost.evil.example"}, {"Origin": f"http://127.0.0.1:{self.port + 1}"},
                            {"Origin": f"https://localhost:{self.port}"}):
                with self.subTest(method=method, path=path, headers=headers):
                    status, text = self.ask(method, path, {"Host": f"localhost:{self.port}",
                                                           "Content-Type": "application/json", **headers})
                    self.assertEqual(status, 403, text)
                    self.assertIn(b"forbidden_origin", text)

    def test_what_a_form_can_send_is_not_json(self):
        """text/plain needs no permission of the browser: nothing but notifications is taken in it."""
        takes_json = lambda _, __, operation: "application/json" in operation.get("requestBody", {}).get("content", {})
        for method, path, operation in self.walk(takes_json):
            if "text/plain" in operation["requestBody"]["content"]:
                self.assertEqual(path, "/events/objects")
                continue
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
                with self.subTest(method=method, path=path, kind=kind):
                    status, text = self.ask(method, path, {"Host": f"localhost:{self.port}", "Content-Type": kind})
                    self.assertEqual(status, 415, text)

    def test_no_name_but_this_machines_own_is_answered(self):
        """A name of an attacker that resolves to 127.0.0.1 makes his page this server's own in a browser."""
        everything = list(self.walk(lambda path, method, _: True))
        for method, path, _ in everything:
            for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::2]", "0.0.0.0",
                         f"169.254.169.254:{self.port}"):
                with self.subTest(method=method, path=path, host=host):
                    status, text = self.ask(method, path, {"Host": host, "Content-Type": "application/json"})
                    self.assertEqual(status, 403, text)
                    self.assertNotIn(b"Access-Control-Allow", text)

    def test_no_page_of_another_site_listens(self):
        for origin in ("https://evil.example", "null", f"https://localhost:{self.port}"):
            text = raw(self.port, (
                f"GET /api/live HTTP/1.1\r\nHost: localhost:{self.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nOrigin: {origin}\r\n\r\n"
            ).encode(), 1)
            self.assertEqual(statuses(text), [403], text)

    def test_no_permission_is_given(self):
        for method, path, _ in self.walk(lambda path, method, _: path != "/api/live"):
            status, text = self.ask("OPTIONS", path, {"Host": "localhost", "Origin": "https://evil.example",
                                                      "Access-Control-Request-Method": method})
            self.assertNotIn(b"Access-Control-Allow-Origin", text)


class Guessing(Attack):
    arguments = ("--rate-limit", "5")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = subprocess.run([Server.program, "tokens", "create", "--organization", "acme", "--name", "first", "--json",
                               "--data", cls.folder.data], capture_output=True, text=True, timeout=60)
        cls.token = json.loads(made.stdout)["token"]

    def ask(self, token, path="/api/runs"):
        """(status, Retry-After)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path, headers={"Authorization": token})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, response.getheader("Retry-After")

    def test_nothing_near_a_token_is_one(self):
        for token in ("", "Bearer", "Bearer ", "Bearer belay_", f"Basic {self.token}", f"Bearer {self.token[:-1]}",
                      f"Bearer {self.token}x", f"Bearer {self.token.upper()}", f"Bearer {self.token}\0", "Bearer %",
                      "Bearer ' OR 1=1 --", "Bearer " + "a" * 10_000, f"Bearer belay_{'A' * 43}",
                      f"Bearer {self.token} {self.token}"):
            with self.subTest(token=token[:40]):
                with contextlib.suppress(ValueError):  # what Python itself does not send
                    self.assertIn(self.ask(token)[0], (400, 401, 429))

    def test_a_guesser_is_slowed_down_and_nobody_else(self):
        wall = False
        for number in range(200):
            status, after = self.ask(f"Bearer belay_{number:043}")
            self.assertIn(status, (401, 429))
            if status == 429:
                self.assertGreaterEqual(int(after), 1)
                wall = True
                break
        self.assertTrue(wall, "two hundred guesses in a row")
        self.assertEqual(self.ask(f"Bearer {self.token}")[0], 200, "the token that is right passes all the same")

    def test_a_token_has_its_rate(self):
        seen = set()
        for _ in range(300):
            seen.add(self.ask(f"Bearer {self.token}")[0])
            if 429 in seen:
                break
        self.assertEqual(seen - {200}, {429})

    def test_a_token_of_a_header_and_of_the_websocket_may_not_differ(self):
        """Two answers to `who are you` are none."""
        text = raw(self.port, (f"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
                               f"Authorization: Bearer belay_x\r\nConnection: close\r\n\r\n").encode())
        self.assertIn(statuses(text), ([400], [401]), text)


class Inside(Attack):
    """Addresses that lead to what only this machine can reach."""

    @classmethod
    def setUpClass(cls):
        cls.hits = []
        attack = cls

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                attack.hits.append((self.server.server_address[0], self.path))
                if self.path == "/robots.txt":
                    self.send_error(404)
                elif self.path.startswith("/to?"):
                    self.send_response(302)
                    self.send_header("Location", urllib.parse.unquote(self.path[4:]))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif self.path == "/loop":
                    self.send_response(302)
                    self.send_header("Location", "/loop")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif self.path == "/bomb":
                    body = gzip.compress(b"\0" * 500_000_000, 1)
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.send_header("Content-Encoding", "gzip")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    with contextlib.suppress(OSError):
                        self.wfile.write(body)
                elif self.path == "/endless":
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    with contextlib.suppress(OSError):
                        for _ in range(100_000):
                            self.wfile.write(b"<p>endless" * 1000)
                else:
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    self.wfile.write(b"<title>inside</title><p>secret")

        cls.web = []
        cls.outer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)  # stands for the web
        cls.inner = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Handler)  # stands for what is inside
        for server in (cls.outer, cls.inner):
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.arguments = ("--fetch-allow", "127.0.0.1/32", "--fetch-interval", "0ms")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        for server in (cls.outer, cls.inner):
            server.shutdown()
            server.server_close()

    def fetch(self, url):
        """How the run of an address ended: (status, the reason)."""
        status, answer = self.server.call("POST", "/api/documents", {"url": url, "index": False})
        if status >= 400:
            return "refused", answer["error"]["message"]
        try:
            run = self.server.await_status(answer["workflow_run_id"], "failed", "succeeded")
        except AssertionError:
            return "unfinished", json.dumps(self.server.get(f"/api/runs/{answer['workflow_run_id']}/why"))
        return run["status"], run["error"] or ""

    def test_the_web_that_is_allowed_is_fetched(self):
        self.assertEqual(self.fetch(f"http://127.0.0.1:{self.outer.server_port}/page")[0], "succeeded")

    def test_no_address_leads_inside(self):
        port = self.inner.server_port
        outer = f"http://127.0.0.1:{self.outer.server_port}/to?"
        inside = [f"http://127.0.0.2:{port}/a", f"http://[::ffff:127.0.0.2]:{port}/b", f"http://2130706434:{port}/c",
                  f"http://0x7f000002:{port}/d", f"http://127.2:{port}/e", f"http://0177.0.0.2:{port}/f",
                  f"http://[::1]:{port}/", f"http://0:{port}/", f"http://[::]:{port}/", "http://169.254.169.254/latest/",
                  "http://10.0.0.1/", "http://192.168.0.1/", "http://100.64.0.1/", "http://[fd00::1]/", "http://[fe80::1]/",
                  f"http://user:pw@127.0.0.2:{port}/g", f"http://127.0.0.1@127.0.0.2:{port}/h",
                  f"http://127.0.0.2:{port}#@127.0.0.1/i", f"http://localhost:{port}/"]
        strange = ["file:///etc/passwd", "gopher://127.0.0.2/", "ftp://127.0.0.2/", "dict://127.0.0.2:11211/",
                   "http:///etc/passwd", "javascript:alert(1)", "http://", "//127.0.0.2/", "data:text/html,x"]
        redirects = [outer + urllib.parse.quote(url, safe="") for url in inside[:8] + strange[:4]]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ends = list(pool.map(self.fetch, inside + strange + redirects))
        for url, (status, reason) in zip(inside + strange + redirects, ends):
            with self.subTest(url=url):
                self.assertIn(status, ("failed", "refused"))
                self.assertTrue(reason)
                self.assertNotIn("secret", reason)
        self.assertEqual([hit for hit in self.hits if hit[0] == "127.0.0.2"], [])

    def test_a_circle_of_redirects_ends(self):
        self.hits.clear()
        status, reason = self.fetch(f"http://127.0.0.1:{self.outer.server_port}/loop")
        self.assertEqual(status, "failed", reason)
        self.assertLess(len(self.hits), 100)

    def test_a_page_that_grows_when_it_is_unpacked_or_never_ends(self):
        for path in ("/bomb", "/endless"):
            with self.subTest(path=path):
                status, reason = self.fetch(f"http://127.0.0.1:{self.outer.server_port}{path}")
                self.assertEqual(status, "failed")
                self.assertTrue(reason)
        self.assertLess(self.server.rss_kib(), 512 * 1024)


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
