#!/usr/bin/env python3
"""kills_test.py — SIGKILL at random moments under mixed load: nothing lost, nothing doubled, nobody innocent paused.

    BELAY_KILLS=100 BELAY_SEED=7 tests/e2e/kills_test.py build/dev/belay-aborting [-k sqlite|postgres]

Clients upload pictures and invoices, have pages fetched, ask for approvals and give them, and ask everything again with the
same Idempotency-Key until they have an answer. Meanwhile a server is killed every second or so: the one on SQLite, or one of
two on PostgreSQL. In the end everything that was answered is there once, every run has ended within a minute of the last
kill, and none is paused: it was not their code that killed it (docs/deaths.md). Beside them is a run of a workflow that
aborts its process each time (aborting.cpp): that one is paused, within five deaths."""

import collections
import http.client
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import unittest
import uuid

sys.dont_write_bytecode = True
from bench import Died, Folder, Model, Server, png, wait_for
from postgres_test import Database, Web, pdf

KILLS = int(os.environ.get("BELAY_KILLS", "10"))
SEED = int(os.environ.get("BELAY_SEED", time.time_ns() % 1_000_000))
AFTER_KILL = 60  # seconds in which every run has ended
PAPERS_A_SECOND = 4  # what two cores read beside all else: a line of papers that are not read yet is no run that hangs
CLIENTS = 3
ARGUMENTS = ["--fetch-allow", "127.0.0.0/8", "--fetch-interval", "0ms", "--fetch-robots", "off"]
LOST = (OSError, http.client.HTTPException, Died)


class Load:
    """Clients that do a little of everything on whatever servers there are, and remember what was answered."""

    def __init__(self, servers, web):
        self.servers, self.web = servers, web
        self.began = time.monotonic()
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.runs = {}  # run id → what it is
        self.asked = {}  # title of an approval → the ids that were answered for it
        self.faults = []
        self.threads = [threading.Thread(target=self._client, args=(number,)) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _client(self, number):
        luck = random.Random(SEED * 100 + number)
        turn = 0
        while not self.over.is_set():
            turn += 1
            try:
                self._one(luck, f"{SEED}-{number}-{turn}")
            except LOST:
                time.sleep(0.05)
            except Exception as error:  # noqa: BLE001 — whatever it is, it is a finding
                self.faults.append(repr(error))
            time.sleep(luck.uniform(0, 0.06))

    def _again(self, luck, ask):
        """The first answer of a server that lives; asks again as long as none does."""
        while not self.over.is_set():
            try:
                status, answer = ask(luck.choice(self.servers))
                if status not in (409, 503):  # it is still being done, or the server is starting or stopping
                    return status, answer
            except LOST:
                pass
            time.sleep(0.05)
        raise Died("it is over")

    def _keyed(self, luck, path, body):
        key = {"Idempotency-Key": uuid.UUID(int=luck.getrandbits(128)).hex}
        return self._again(luck, lambda server: server.call("POST", path, body, dict(key)))

    def _note(self, what, run):
        with self.lock:
            self.counts[what] += 1
            self.runs[run] = what

    def _one(self, luck, name):
        dice = luck.random()
        if dice < 0.45:
            self._upload(luck, f"{name}.png", png(name), "image")
        elif dice < 0.6:
            if self.counts["invoice"] >= PAPERS_A_SECOND * (time.monotonic() - self.began):
                return
            lines = ["INVOICE", "Northwind Tools Ltd", f"Invoice number: {name}", "Invoice date: 2026-03-02",
                     "Due date: 2026-04-01", "Subtotal 100.00", "VAT 25% 25.00", "Total due EUR 125.00"]
            self._upload(luck, f"{name}.pdf", pdf(lines), "invoice")
        elif dice < 0.7:
            status, answer = self._keyed(luck, "/api/documents", {"url": f"{self.web.url}/coffee?{name}", "index": True})
            if status == 202:
                self._note("document", answer["workflow_run_id"])
        else:
            self._approval(luck, name)

    def _upload(self, luck, name, content, kind):
        status, answer = self._again(luck, lambda server: server.upload(name, content, kind))
        if status != 202 or answer["errors"]:
            self.faults.append(f"{name}: {status} {answer}")
            return
        self._note(kind, answer["uploads"][0]["workflow_run_id"])

    def _approval(self, luck, title):
        status, answer = self._keyed(luck, "/api/approvals", {"title": title})
        if status not in (200, 201, 202):
            self.faults.append(f"approval {title}: {status} {answer}")
            return
        run = answer.get("id") or answer["workflow_run_id"]
        self._note("approval", run)
        with self.lock:
            self.asked.setdefault(title, set()).add(run)
        if luck.random() < 0.8:
            self._keyed(luck, f"/api/approvals/{run}/approve", {"comment": "fine"})


class Kills(unittest.TestCase):
    def setUp(self):
        self.luck = random.Random(SEED)
        self.model, self.web = Model(), Web()
        self.model.server.handle_error = lambda *_: None  # a server that is killed hangs up
        self.servers, self.aborts = [], 0
        print(f"{self.id().rsplit('.', 1)[1]}: {KILLS} kills, BELAY_SEED={SEED}", flush=True)

    def tearDown(self):
        for server in self.servers:
            server.end()
        self.model.close()
        self.web.close()

    def live_through(self, start):
        """Kills one of the servers, and starts it again, so often; then lets everything end, and looks."""
        self.servers += [start(number) for number in range(len(self.servers), self.processes)]
        load = Load(self.servers, self.web)
        try:
            self.guilty = self.servers[0].call("POST", "/api/workflows/ABORT/runs", {})[1]["id"]
            for _ in range(KILLS):
                self.tend(start, time.monotonic() + self.luck.uniform(0.1, 1.5))
                number = self.luck.randrange(self.processes)
                self.servers[number].kill()
                killed = time.monotonic()
                self.replace(number, start)
            while not self.is_paused(self.guilty):
                self.assertLess(time.monotonic(), killed + AFTER_KILL, "the run that aborts is not found out")
                self.tend(start, time.monotonic() + 0.5)
        finally:
            load.stop()
        self.look(load, killed)

    def tend(self, start, until):
        """As systemd does: one that died by itself is started again."""
        while time.monotonic() < until:
            for number, server in enumerate(self.servers):
                if server.died():
                    self.aborts += 1
                    self.replace(number, start)
            time.sleep(0.02)

    def replace(self, number, start):
        while True:
            self.servers[number].end()
            try:
                self.servers[number] = start(number)
                return
            except Died:  # before it was ready
                self.aborts += 1

    def is_paused(self, run):
        try:
            return self.servers[0].run(run)["status"] == "paused"
        except LOST:
            return False

    def runs(self):
        """Of one listing: a run that goes from one status to another between two is in neither."""
        found, cursor = [], ""
        while True:
            page = self.servers[0].get(f"/api/runs?limit=500{cursor}")
            found += page["runs"]
            if not page["next_cursor"]:
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def unfinished(self):
        """Approvals that nobody has answered wait for that, and not for us."""
        return [run for run in self.runs() if run["status"] in ("queued", "running", "waiting")
                and not (run["status"] == "waiting" and run["workflow_key"] == "APPROVAL")]

    def look(self, load, killed):
        try:
            wait_for("every run to end", lambda: not self.unfinished(), max(1, killed + AFTER_KILL - time.monotonic()))
        except AssertionError as late:
            open_ones = self.unfinished()
            kinds = collections.Counter((run["workflow_key"], run["status"], run["current_stage"]) for run in open_ones)
            why = [self.servers[0].get(f"/api/runs/{run['id']}/why") for run in open_ones[:3]]
            raise AssertionError(f"{late}; open: {dict(kinds)}; {why}") from None
        ended = time.monotonic() - killed
        there = {run["id"]: run for run in self.runs()}
        paused = [(run["id"], run["error"]) for run in there.values()
                  if run["status"] == "paused" and run["id"] != self.guilty]
        guilty = self.servers[0].run(self.guilty)
        charged = [death for death in guilty["deaths"] if death["charged"]]
        lost = [run for run in load.runs if run not in there]
        titles = collections.Counter(self.titles())
        doubled = [title for title, count in titles.items() if count > 1]
        doubled += [title for title, runs in load.asked.items() if len(runs) > 1]
        failed = collections.Counter((run["workflow_key"], run["error"]["message"]) for run in there.values()
                                     if run["status"] == "failed")
        deaths = sum(len(self.servers[0].run(run).get("deaths", [])) for run in list(load.runs)[-200:])
        print(f"{KILLS} kills, {sum(load.counts.values())} answered ({dict(load.counts)}), {len(there)} runs: {len(lost)} lost, "
              f"{len(doubled)} doubled, {len(paused)} paused, {sum(failed.values())} failed; all had ended {ended:.0f} s after the "
              f"last kill; {deaths} deaths of the last 200 runs; the run that aborts is paused after {len(charged)} charges, the servers "
              f"aborted {self.aborts} times", flush=True)
        for (workflow, message), count in failed.items():
            print(f"failed: {count} of {workflow}: {message}", flush=True)
        self.assertEqual(load.faults, [])
        self.assertEqual(lost, [])
        self.assertEqual(paused, [])
        self.assertEqual(failed, {})
        self.assertGreater(len(load.runs), KILLS, "too little was under way")
        self.assertEqual(doubled, [])
        self.assertEqual(guilty["error"]["code"], "CrashLoop")
        self.assertLessEqual(len(charged), 5)
        self.assertLessEqual(self.aborts, 5, "it goes on killing")

    def titles(self):
        for run in self.approvals():
            yield run


class OnSqlite(Kills):
    processes = 1

    def test_sqlite(self):
        folder = Folder("kills")
        self.approvals = lambda: [row[0] for row in folder.rows(
            "SELECT json_extract(input, '$.title') FROM workflow_runs WHERE workflow_key = 'APPROVAL'")]
        self.live_through(lambda _: Server(folder.data, None, self.model, ARGUMENTS).__enter__())
        folder.remove()


class OnPostgres(Kills):
    processes = 2

    def test_postgres(self):
        database, root = Database(), tempfile.mkdtemp(prefix="belay-e2e-kills-")
        self.addCleanup(database.end)
        self.approvals = lambda: database.rows(
            "kills", "SELECT input::json->>'title' FROM workflow_runs WHERE workflow_key = 'APPROVAL'")

        def start(number):
            data = os.path.join(root, str(number))
            os.makedirs(data, exist_ok=True)
            return Server(data, None, self.model, [*ARGUMENTS, "--store", database.store("kills"), "--objects",
                                                   f"shared:{root}/objects"]).__enter__()

        self.live_through(start)
        shutil.rmtree(root, ignore_errors=True)


del Kills  # is no test of its own


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
