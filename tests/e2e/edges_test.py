#!/usr/bin/env python3
"""edges_test.py — what a server promises where it ends: keys that are asked twice, a disk that is full, a machine with
nothing left, commits that are gone, a token that is revoked, a backup that is killed.

    tests/e2e/edges_test.py build/dev/belay [-k NAME]

The disk is a tmpfs of 24 MiB, so this runs as root."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
import bench
from bench import Folder, Live, Model, Server, png, wait_for

LOST = (OSError, http.client.HTTPException, bench.Died)


def form(files):
    """(body, headers) of an upload of several pictures."""
    line = "belay-edges"
    body = b"".join((f"--{line}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n"
                     "Content-Type: image/png\r\n\r\n").encode() + content + b"\r\n" for name, content in files)
    return body + f"--{line}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={line}"}


class OnceOnly(unittest.TestCase):
    """Killed between any two lines, a retry with the same key gets the first answer, and nothing is done twice."""

    def setUp(self):
        self.folder = Folder("once")
        self.model = Model()

    def tearDown(self):
        self.model.close()
        self.folder.remove()

    def killed_at(self, point, requests):
        """Asks each request of a server that dies at `point`, then twice of one that lives. Gives their answers."""
        with contextlib.suppress(*LOST), Server(self.folder.data, point, self.model) as server:
            for path, body, headers in requests:
                with contextlib.suppress(*LOST):
                    server.call("POST", path, body, headers)
        with Server(self.folder.data, None, self.model) as server:
            told = []
            for path, body, headers in requests:
                first = server.call("POST", path, body, headers)
                self.assertEqual(server.call("POST", path, body, headers), first, f"{path} at {point}")
                self.assertLess(first[0], 300, f"{path} at {point}: {first}")
                told.append(first[1])
            return told

    def test_uploads_and_approvals(self):
        points = [f"commit.{when}:{n}" for n in range(1, 13) for when in ("before", "after")]
        for number, point in enumerate(points + ["upload.stored", "upload.after"]):
            with self.subTest(point=point):
                body, kind = form([(f"{number}-{i}.png", png(f"{number}-{i}")) for i in range(2)])
                again, _ = form([(f"{number}-0.png", png(f"{number}-0"))])
                told = self.killed_at(point, [
                    ("/api/approvals", {"title": f"at {point}"}, {"Idempotency-Key": f"ask-{number}"}),
                    ("/ingest/upload", body, {**kind, "Idempotency-Key": f"up-{number}"}),
                    ("/ingest/upload?force=1", again, {**kind, "Idempotency-Key": f"force-{number}"}),
                ])
                self.assertEqual([one["duplicate"] for one in told[1]["uploads"]], [False, False])
                self.assertEqual(self.folder.rows("SELECT count(*) FROM approval_requests WHERE title = ?",
                                                  f"at {point}"), [(1,)])
                # Two files, and one of them once more.
                self.assertEqual(self.folder.rows("SELECT count(DISTINCT workflow_run_id) FROM unified_files "
                                                  "WHERE original_filename LIKE ?", f"{number}-%"), [(3,)])

    def test_another_request_with_the_key_is_refused(self):
        with Server(self.folder.data, None, self.model) as server:
            key = {"Idempotency-Key": "k"}
            self.assertEqual(server.call("POST", "/api/approvals", {"title": "one"}, key)[0], 202)
            status, answer = server.call("POST", "/api/approvals", {"title": "two"}, key)
            self.assertEqual((status, answer["error"]["code"]), (422, "idempotency_mismatch"))

    def test_twenty_at_once_are_one(self):
        with Server(self.folder.data, None, self.model) as server, concurrent.futures.ThreadPoolExecutor(20) as pool:
            for number in range(20):
                ask = lambda _: server.call("POST", "/api/approvals", {"title": f"race {number}"},
                                            {"Idempotency-Key": f"race-{number}"})
                told = list(pool.map(ask, range(20)))
                self.assertEqual(told, [told[0]] * 20)
                self.assertEqual(told[0][0], 202)
            self.assertEqual(self.folder.rows("SELECT count(*) FROM approval_requests WHERE title LIKE 'race %'"),
                             [(20,)])


class FullDisk(unittest.TestCase):
    """A disk that fills up under load: everybody is told at once, a stop ends in time, and space is all it takes."""

    STOP = 4

    def setUp(self):
        self.folder = Folder("full")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", self.folder.data], check=True)
        self.model = Model()
        self.server = Server(self.folder.data, None, self.model, ("--stop-seconds", str(self.STOP))).__enter__()
        self.ballast = os.path.join(self.folder.data, "ballast")

    def tearDown(self):
        self.server.end()
        self.model.close()
        subprocess.run(["umount", "-l", self.folder.data], check=True)
        self.folder.remove()

    def fill(self):
        with contextlib.suppress(OSError), open(self.ballast, "wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)

    def timed(self, *request):
        begun = time.monotonic()
        status, answer = self.server.call(*request)
        return status, answer, time.monotonic() - begun

    def refused(self, *request):
        status, answer, took = self.timed(*request)
        self.assertIn(status, (503, 507), request)
        self.assertRegex(answer["error"]["message"], "full|space|room")
        self.assertLess(took, 2, request)

    def test_everybody_is_told_and_it_goes_on_by_itself(self):
        asked = [self.server.call("POST", "/api/approvals", {"title": f"{i}"})[1]["id"] for i in range(2)]
        file = self.server.upload("first.png", png("first"))[1]["uploads"][0]["file_id"]
        over = threading.Event()
        taken = []

        def load(number):
            while not over.is_set():
                name = f"{number}-{random.random()}.png"
                status, answer = self.server.upload(name, png(name))
                if status == 202:
                    taken.append(answer["uploads"][0]["workflow_run_id"])

        threads = [threading.Thread(target=load, args=(number,), daemon=True) for number in range(4)]
        for thread in threads:
            thread.start()
        wait_for("some work", lambda: len(taken) > 20)
        self.fill()
        wait_for("the disk to be noticed", lambda: self.server.call("GET", "/readyz")[0] == 503)
        for _ in range(5):
            body, kind = form([("late.png", png("late"))])
            self.refused("POST", f"/api/approvals/{asked[0]}/approve", {})
            self.refused("DELETE", f"/api/files/{file}")
            self.refused("POST", "/ingest/upload", body, kind)
            status, answer, took = self.timed("GET", "/readyz")
            self.assertEqual(status, 503)
            self.assertIn("full", answer["error"]["message"])
            self.assertLess(took, 2)
        over.set()
        os.remove(self.ballast)
        wait_for("it to be ready", lambda: self.server.call("GET", "/readyz")[0] == 200)
        self.assertEqual(self.server.call("POST", f"/api/approvals/{asked[0]}/approve", {})[0], 200)
        for run in taken:
            self.server.await_status(run, "succeeded")
        for thread in threads:
            thread.join()

    def test_a_guest_is_told_without_names_and_places(self):
        guest = {"Authorization": "Bearer " + token_of(self.folder.data, "acme")}
        asked = self.server.call("POST", "/api/approvals", {"title": "one"}, guest)[1]["id"]
        body, kind = form([("late.png", png("late"))])
        self.fill()
        requests = [("POST", "/ingest/upload", body, {**kind, **guest}), ("GET", "/api/workers", None, guest),
                    ("POST", f"/api/approvals/{asked}/approve", {}, guest), ("POST", "/api/approvals", {"title": "x"}, guest),
                    ("POST", "/events/objects", bench.created("acme/none.png"), guest), ("GET", "/readyz", None, None)]
        refused = 0
        for _ in range(3):
            for request in requests:
                status, answer = self.server.call(*request)
                refused += status == 503
                for name in (self.folder.root, os.uname().nodename, "belay.db", "/root"):
                    self.assertNotIn(name, json.dumps(answer), request[:2])
        self.assertGreater(refused, 6)

    def test_a_stop_ends_in_time(self):
        self.model.gate.clear()
        for i in range(8):
            self.server.upload(f"{i}.png", png(i))
        self.fill()
        with contextlib.suppress(Exception):
            self.server.call("POST", "/api/approvals", {"title": "x" * 100})
        begun = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(30)
        self.model.gate.set()
        self.assertLess(time.monotonic() - begun, self.STOP + 2)


class FewDescriptors(unittest.TestCase):
    """A server that may open 64 files refuses while it has none left, and fails nothing of what it took."""

    def setUp(self):
        self.folder = Folder("few")
        self.model = Model()
        self.program = Server.program
        wrapper = os.path.join(self.folder.root, "few")
        with open(wrapper, "w") as file:
            file.write(f"#!/bin/sh\nulimit -n 64\nexec '{self.program}' \"$@\"\n")
        os.chmod(wrapper, stat.S_IRWXU)
        Server.program = wrapper
        self.server = Server(self.folder.data, None, self.model).__enter__()

    def tearDown(self):
        Server.program = self.program
        self.server.end()
        self.model.close()
        self.folder.remove()

    def test_nothing_that_was_taken_fails(self):
        taken = []
        told = []
        for round in range(6):
            with contextlib.ExitStack() as held:
                for _ in range(80):
                    with contextlib.suppress(OSError):
                        held.enter_context(socket.create_connection(("127.0.0.1", self.server.port), 1))
                for i in range(5):
                    name = f"{round}-{i}.png"
                    with contextlib.suppress(*LOST):
                        status, answer = self.server.upload(name, png(name))
                        told.append(status)
                        if status == 202:
                            taken.append(answer["uploads"][0]["workflow_run_id"])
            name = f"{round}-after.png"
            status, answer = wait_for("it to take something",
                                      lambda: (lambda got: got if got[0] == 202 else None)(
                                          self.try_upload(name)))
            taken.append(answer["uploads"][0]["workflow_run_id"])
        self.assertIn(503, told, "it was short of descriptors at all")
        self.assertEqual(set(told) - {202, 503}, set())
        for run in taken:
            self.server.await_status(run, "succeeded")
        wait_for("it to be ready", lambda: self.server.call("GET", "/readyz")[0] == 200)

    def try_upload(self, name):
        try:
            return self.server.upload(name, png(name))
        except LOST:
            return 0, None


class LostCommits(unittest.TestCase):
    """A database without its -wal opens without complaint. What had been acknowledged and is gone is said at the start,
    by doctor and to the page, until somebody accepts it."""

    def setUp(self):
        self.folder = Folder("lost")
        self.model = Model()

    def tearDown(self):
        self.model.close()
        self.folder.remove()

    def doctor(self, *words):
        return subprocess.run([Server.program, "doctor", "--data", self.folder.data, *words], capture_output=True, text=True)

    def lose(self, spoil):
        with Server(self.folder.data, None, self.model) as server:
            self.assertEqual(server.get("/api/warnings")["warnings"], [])
            for i in range(3):
                server.call("POST", "/api/approvals", {"title": f"lost {i}"})
            server.kill()
            server.end()
        spoil(os.path.join(self.folder.data, "belay.db-wal"))

        with Server(self.folder.data, None, self.model) as server:
            [warning] = server.get("/api/warnings")["warnings"]
            self.assertEqual(warning["code"], "commits_lost")
            self.assertRegex(warning["text"], r"\d+ commits are lost")
            self.assertEqual(server.call("GET", "/readyz")[0], 200, "it works on with what there is")
            told = self.doctor()
            self.assertNotEqual(told.returncode, 0)
            self.assertIn("commits are lost", told.stdout)
            guest = {"Authorization": "Bearer " + token_of(self.folder.data, "acme")}
            [warning] = server.call("GET", "/api/warnings", None, guest)[1]["warnings"]
            self.assertNotRegex(warning["text"], r"\d|belay|-wal", "how much, and of what, is nothing for guests")
            self.doctor("--accept-loss")
            self.assertEqual(server.call("GET", "/api/warnings", None, guest)[1]["warnings"], [])
        with open(self.folder.data + ".log", encoding="utf-8") as log:
            self.assertIn("commits are lost", log.read())

    def test_a_wal_that_was_removed_is_told_until_it_is_accepted(self):
        self.lose(os.remove)

    def test_a_wal_that_was_cut_is_told_until_it_is_accepted(self):
        self.lose(lambda wal: os.truncate(wal, os.path.getsize(wal) * 2 // 3))


def token_of(data, organization, name="t"):
    """A new one, made beside the server."""
    made = subprocess.run([Server.program, "tokens", "create", "--organization", organization, "--name", name, "--json",
                           "--data", data], capture_output=True, text=True, timeout=60)
    return json.loads(made.stdout)["token"]


class Revoked(unittest.TestCase):
    """Whoever holds a token that is revoked hears nothing more, and gets no more of what he was getting."""

    AT_ONCE = 3

    def setUp(self):
        self.folder = Folder("revoked")

    def tearDown(self):
        self.folder.remove()

    def test_its_feed_and_its_download_end_and_nobody_elses(self):
        large = b"\x89PNG\r\n\x1a\n" + os.urandom(24 << 20)
        with Server(self.folder.data) as server:
            leaver, stayer = (token_of(self.folder.data, "acme", name) for name in ("leaver", "stayer"))
            by = {"Authorization": "Bearer " + leaver}
            body, kind = form([("large.png", large)])
            status, answer = server.call("POST", "/ingest/upload", body, {**kind, **by})
            self.assertEqual(status, 202, answer)
            file = answer["uploads"][0]["file_id"]
            left, stays = (Live(server.port, token=token) for token in (leaver, stayer))
            download = socket.create_connection(("127.0.0.1", server.port), 60)
            download.sendall((f"GET /api/files/{file}/content HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
                              f"Authorization: Bearer {leaver}\r\n\r\n").encode())
            begun = download.recv(65536)
            self.assertTrue(begun.startswith(b"HTTP/1.1 200"), begun[:200])

            [token] = [one for one in json.loads(subprocess.run(
                [Server.program, "tokens", "list", "--json", "--data", self.folder.data], capture_output=True, text=True,
                timeout=60).stdout)["tokens"] if one["name"] == "leaver"]
            subprocess.run([Server.program, "tokens", "revoke", token["id"], "--data", self.folder.data], check=True,
                           capture_output=True, timeout=60)
            revoked = time.monotonic()
            with self.assertRaises((bench.Died, OSError)):
                while True:
                    left.next()
            got, size = len(begun), None
            with contextlib.suppress(OSError):
                while size != 0:
                    size = len(download.recv(65536))
                    got += size
            self.assertLess(time.monotonic() - revoked, self.AT_ONCE)
            self.assertLess(got, len(large), "it got the whole file")
            self.assertEqual(server.call("GET", "/api/uploads", None, by)[0], 401)

            server.call("POST", "/api/approvals", {"title": "after"}, {"Authorization": "Bearer " + stayer})
            while "after" not in json.dumps(stays.next()):
                pass
            for one in (left, stays, download):
                one.close()


class KilledBackup(unittest.TestCase):
    """Beside a server that works: what a killed backup leaves is none, by its name and for restore."""

    def setUp(self):
        self.folder = Folder("backup")
        self.model = Model()

    def tearDown(self):
        self.model.close()
        self.folder.remove()

    def belay(self, *words):
        return subprocess.run([Server.program, *words], capture_output=True, text=True, timeout=60)

    def pictures(self, data):
        database = sqlite3.connect(os.path.join(data, "belay.db"))
        with contextlib.closing(database):
            return database.execute("SELECT count(*) FROM unified_files").fetchone()[0]

    def test_only_a_whole_one_can_be_restored(self):
        place = os.path.join(self.folder.root, "backups")
        os.mkdir(place)
        with Server(self.folder.data, None, self.model) as server:
            for i in range(60):
                server.upload(f"{i}.png", png(i))
            begun = time.monotonic()
            first = self.belay("backup", os.path.join(place, "whole"), "--data", self.folder.data)
            self.assertEqual(first.returncode, 0, first.stderr)
            takes = time.monotonic() - begun
            killed, looked_at, refused = 0, set(), set()
            for i in range(20):
                backup = subprocess.Popen([Server.program, "backup", os.path.join(place, f"killed-{i}"), "--data",
                                           self.folder.data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(takes * i / 20)
                backup.kill()
                killed += backup.wait() != 0
                for name in set(os.listdir(place)) - looked_at:
                    looked_at.add(name)
                    to = os.path.join(self.folder.root, f"restored-{i}-{name}")
                    restored = self.belay("restore", os.path.join(place, name), "--data", to)
                    if restored.returncode == 0:  # it was whole already when it was killed
                        self.assertEqual(self.pictures(to), 60, name)
                    else:
                        self.assertFalse(os.path.exists(to), "restored, and refused")
                        refused.add(name)
            self.assertGreater(killed, 5)
            self.assertNotIn("whole", refused)
            self.assertTrue(refused, "none was killed in the middle")
        restored = os.path.join(self.folder.root, "restored")
        done = self.belay("restore", os.path.join(place, "whole"), "--data", restored)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Server(restored, None, self.model) as server:
            self.assertEqual(len(server.uploads()), 60)
            self.assertEqual(server.get("/api/warnings")["warnings"], [], "a restored one has lost nothing")


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
