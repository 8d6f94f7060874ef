#!/usr/bin/env python3
"""postgres_test.py — the whole server on PostgreSQL: two of them on one database and one shared folder.

    tests/e2e/postgres_test.py build/dev/belay [-k NAME]

The database is a server of the test's own (Debian's package postgresql), thrown away at the end. What SQLite and
PostgreSQL do not share in their SQL shows here: every list and every result is asked for."""

import glob
import http.server
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
import bench
from bench import Model, Server, created, png, wait_for


class Database:
    """A PostgreSQL on a socket in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="belay-e2e-pg-")
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            postgres = pwd.getpwnam("postgres")
            os.chown(self.folder, postgres.pw_uid, postgres.pw_gid)
            self.user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        os.chmod(self.folder, 0o755)
        subprocess.run([f"{self.bin}/initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "--no-sync",
                        "-E", "UTF8", "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)
        self.process = subprocess.Popen([f"{self.bin}/postgres", "-D", f"{self.folder}/data", "-k", self.folder,
                                         "-c", "listen_addresses=", "-c", "fsync=off"], cwd="/",
                                        stderr=subprocess.DEVNULL, **self.user)
        wait_for("PostgreSQL", lambda: subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.folder]).returncode == 0)

    def store(self, schema):
        return f"postgres://postgres@/postgres?host={self.folder}&schema={schema}"

    def rows(self, schema, sql):
        done = subprocess.run([f"{self.bin}/psql", "-h", self.folder, "-U", "postgres", "-XAtqc",
                               f"SET search_path = {schema}; {sql}"], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def end(self):
        self.process.send_signal(3)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def pdf(lines):
    """A PDF of one page whose text layer has these lines."""
    text = "BT /F1 11 Tf 50 800 Td 14 TL " + " ".join(
        "({}) '".format(line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")) for line in lines) + " ET"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    return out + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


INVOICE = pdf(["INVOICE", "Northwind Tools Ltd", "Invoice number: 2026-117", "Invoice date: 2026-03-02",
               "Due date: 2026-04-01", "Bill to: Harbour Cafe", "Description Quantity Unit price Amount",
               "Drill bits 2 40.00 80.00", "Sandpaper 4 5.00 20.00", "Subtotal 100.00", "VAT 25% 25.00",
               "Total due EUR 125.00"])
STATEMENT = pdf(["FIRST CARD", "Kontoutdrag", "Fakturanummer: 99001", "Fakturadatum: 2026-03-31",
                 "Period: 2026-03-01 - 2026-03-31", "Datum Specifikation Ort Valuta Belopp",
                 "2026-03-03 ICA NARA STOCKHOLM SEK 120,00", "2026-03-09 CLAS OHLSON UPPSALA SEK 80,00",
                 "Summa att betala SEK 200,00"])
PAGES = {
    "/coffee": "<html><head><title>Café au lait</title></head><body><article><h1>Café au lait</h1><p>How to make coffee "
               "with hot milk at home. Heat the milk slowly, whisk it, and pour both at the same time into a large bowl. "
               "It was invented long before espresso machines were running.</p><p><a href='/tea'>Tea</a></p></article>"
               "</body></html>",
    "/tea": "<html><head><title>Green tea</title></head><body><article><h1>Green tea</h1><p>Green tea is brewed with "
            "water that is well below boiling. Steep the leaves for two minutes and no longer, because it gets bitter."
            "</p></article></body></html>",
}


class Web:
    """The pages above, on this machine."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                body = PAGES.get(self.path.split("?")[0], "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class OnPostgres(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Database()
        cls.schemas = 0

    @classmethod
    def tearDownClass(cls):
        cls.database.end()

    def setUp(self):
        type(self).schemas += 1
        self.schema = f"e2e{self.schemas}"
        self.root = tempfile.mkdtemp(prefix="belay-e2e-shared-")
        self.model = Model()
        self.open = []

    def tearDown(self):
        for server in self.open:
            server.end()
        self.model.gate.set()
        self.model.close()
        if not (self._outcome.result.errors or self._outcome.result.failures):
            shutil.rmtree(self.root, ignore_errors=True)

    def serve(self, name, *arguments):
        data = os.path.join(self.root, name)
        os.makedirs(data, exist_ok=True)
        server = Server(data, model=self.model, arguments=[
            "--store", self.database.store(self.schema), "--objects", f"shared:{self.root}/objects", *arguments])
        self.open.append(server)
        return server.__enter__()

    def test_a_folder_of_one_machine_is_refused_with_what_to_do(self):
        done = subprocess.run([Server.program, "serve", "--store", self.database.store(self.schema), "--data", self.root,
                               "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=120)

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--objects s3://", done.stderr)
        self.assertIn(f"shared:{self.root}/objects", done.stderr)

    def test_a_picture_that_one_server_takes_is_seen_by_the_other(self):
        one, two = self.serve("one"), self.serve("two")

        status, answer = one.upload("reef.png", png(1))

        self.assertEqual(status, 202, answer)
        row = two.await_upload("reef.png", "classified")
        run = two.await_status(row["workflow_run_id"], "succeeded")
        self.assertEqual([stage["stage_key"] for stage in run["stages"]],
                         ["load-image", "classify-image", "persist-classification"])
        again = two.upload("reef.png", png(1))[1]["uploads"][0]
        self.assertEqual(again["workflow_run_id"], row["workflow_run_id"])
        self.assertEqual(sum(self.model.calls.values()), 1)

    def test_the_run_of_a_server_that_is_killed_goes_on_in_the_other(self):
        one = self.serve("one")
        self.model.gate.clear()
        one.upload("slow.png", png(2))
        wait_for("the model to be asked", lambda: self.model.calls)
        two = self.serve("two")

        one.kill()
        killed = time.monotonic()
        self.model.gate.set()

        two.await_upload("slow.png", "classified")
        self.assertLess(time.monotonic() - killed, 8)
        self.assertEqual(self.database.rows(self.schema, "SELECT status FROM workflow_runs"), ["succeeded"])

    def test_an_observer_shows_and_asks_and_executes_nothing(self):
        one = self.serve("one")
        before = self.database.rows(self.schema, "SELECT count(*) FROM belay_workers")
        log = open(os.path.join(self.root, "observer.log"), "w+")
        observer = subprocess.Popen([Server.program, "serve", "--observe", "--store", self.database.store(self.schema),
                                     "--listen", "127.0.0.1:0", "--access-log", "off"], stdout=log, stderr=log)
        try:
            def url():
                log.seek(0)
                found = re.search(r"observes \S+ at (\S+)", log.read())
                return found and found.group(1)
            wait_for("the observer", lambda: url())
            base = url()

            def ask(path, body=None, key=None):
                headers = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
                request = urllib.request.Request(base + path, headers=headers,
                                                 data=None if body is None else json.dumps(body).encode())
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.load(answer)

            self.assertTrue(ask("/api/program")["observes"])
            asked = ask("/api/approvals", {"title": "may I?"}, key="once")
            self.assertEqual(ask("/api/approvals", {"title": "may I?"}, key="once")["id"], asked["id"])
            run = f"/api/runs/{urllib.parse.quote(asked['id'], safe='')}"
            wait_for("it to wait", lambda: ask(run)["status"] == "waiting")
            ask(f"/api/approvals/{urllib.parse.quote(asked['id'], safe='')}/approve", {})
            wait_for("its end", lambda: ask(run)["status"] == "succeeded")
            self.assertEqual(len(ask("/api/runs")["runs"]), 1)
            # A schedule that somebody else than the program made: its run is admitted where the code is.
            subprocess.run([Server.program, "schedules", "add", "ask", "--workflow", "APPROVAL", "--cron", "0 3 * * *",
                            "--input", '{"title": "every day?"}', "--store", self.database.store(self.schema)],
                           check=True, stdout=subprocess.DEVNULL)
            begun = ask("/api/schedules/ask/trigger", {})["workflow_run_id"]
            wait_for("its run", lambda: ask(f"/api/runs/{urllib.parse.quote(begun, safe='')}")["status"] == "waiting")
            # It is no worker.
            self.assertEqual(self.database.rows(self.schema, "SELECT count(*) FROM belay_workers"), before)
            one.kill()
            self.assertEqual(ask(run)["status"], "succeeded")
        finally:
            observer.kill()
            observer.wait()
            log.close()

    def test_messages_are_handled_once_though_both_servers_look_for_them(self):
        one, two = self.serve("one"), self.serve("two")
        for number in range(10):
            one.upload(f"{number}.png", png(100 + number))
        for number in range(10):
            one.await_upload(f"{number}.png", "classified")
        calls = sum(self.model.calls.values())

        for number in range(10):
            status, answer = (one, two)[number % 2].call("POST", "/events/objects", created(f"default/{number}.png"))
            self.assertIn(status, (200, 202), answer)

        wait_for("the messages to be handled", lambda: self.database.rows(
            self.schema, "SELECT count(*) FROM object_inbox WHERE status = 'waiting'") == ["0"])
        self.assertEqual(sum(self.model.calls.values()), calls)

    def test_papers_are_read_and_every_list_of_them_can_be_asked_for(self):
        one, two = self.serve("one"), self.serve("two")
        runs = {}
        for kind, name, content in (("invoice", "invoice.pdf", INVOICE), ("creditcard_invoice", "card.pdf", STATEMENT),
                                    ("receipt", "receipt.png", png(3))):
            status, answer = one.upload(name, content, kind)
            self.assertEqual(status, 202, answer)
            runs[kind] = answer["uploads"][0]
        for upload in runs.values():  # a picture of nothing is no receipt
            two.await_status(upload["workflow_run_id"], "succeeded", "failed")
        for kind in ("invoice", "creditcard_invoice"):
            self.assertIsNone(two.run(runs[kind]["workflow_run_id"])["error"])

        invoice = two.get("/api/invoices/" + runs["invoice"]["file_id"])
        self.assertEqual(invoice["grand_total"], "125.00")
        self.assertEqual(len(two.get("/api/invoices")["invoices"]), 1)
        two.get("/api/receipts")
        cards = two.get("/api/card-invoices")["card_invoices"]
        self.assertEqual([card["invoice_number"] for card in cards], ["99001"])
        for card in cards:
            identity = urllib.parse.quote(str(card["id"]), safe="")
            two.get(f"/api/card-invoices/{identity}")
            two.get(f"/api/card-invoices/{identity}/lines")
        self.every_list(two)

    def test_documents_are_found_by_their_words_without_accents_and_by_stem(self):
        web = Web()
        try:
            one = self.serve("one", "--fetch-allow", "127.0.0.0/8", "--fetch-interval", "0ms", "--fetch-robots", "off")
            for path in PAGES:
                status, answer = one.call("POST", "/api/documents", {"url": web.url + path, "index": True})
                self.assertIn(status, (200, 202), answer)
            documents = wait_for("the documents", lambda: (lambda found: found if len(found) == 2 and all(
                row["status"] == "FETCHED" for row in found) else None)(one.get("/api/documents")["documents"]))
            for document in documents:
                one.get("/api/documents/" + document["id"])

            hits = one.get("/api/search?q=" + urllib.parse.quote("cafe machine"))
            self.assertIn("coffee", str(hits))
            self.assertIn("**", str(hits))
            self.assertIn("Green tea", str(one.get("/api/search?q=" + urllib.parse.quote("brewing leaf"))))
            self.every_list(one)
        finally:
            web.close()

    def every_list(self, server):
        """Whatever the API describes and that needs no id is answered."""
        for path, methods in server.get("/openapi.json")["paths"].items():
            if "get" not in methods or "{" in path or path in ("/metrics", "/api/live", "/api/events"):
                continue
            needed = [p["name"] for p in methods["get"].get("parameters", []) if p.get("required")]
            query = "?" + "&".join(f"{name}=1" for name in needed) if needed else ""
            connection = bench.http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", path + query)
            answer = connection.getresponse()
            self.assertLess(answer.status, 500, (path, answer.read()))
            connection.close()


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
