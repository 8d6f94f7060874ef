#!/usr/bin/env python3
"""organizations_test.py — P9 on a real server: an organization sees its own, and nobody else's.

    tests/e2e/organizations_test.py build/dev/belay [-k NAME]

What is tried comes from /openapi.json: a path that is added is tried without anybody thinking of it. Acme has one of
everything, all of it marked; the stranger asks every path with every id of Acme's, in every method. He gets nothing
that is marked and changes nothing. A path whose id Acme itself cannot fill in makes the test fail: then acme_has()
needs one of it."""

import http.client
import http.server
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True
import bench
from bench import Folder, Live, Model, Server, created, png, wait_for

MARK = "Akmesecret"


def pdf(lines):
    """A page of text."""
    text = "BT /F1 12 Tf 50 780 Td 16 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
               "/Resources << /Font << /F1 5 0 R >> >> >>",
               f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
    return (out + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").encode()


# A statement in which nothing was found, as its workflow keeps it.
NOTHING = {"value": None, "confidence": 0, "page": 0, "box": {"x": 0, "y": 0, "width": 0, "height": 0}}
STATEMENT = {**{name: NOTHING for name in (
    "invoice_number", "statement_date", "due_date", "period_start", "period_end", "previous_balance", "new_balance",
    "total", "currency", "card_number_masked", "payment_ocr")},
    "rows": [], "adds_up": False, "review": [], "confidence": 0}


class Website:
    """A page for documents."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                if self.path == "/robots.txt":
                    return self.send_error(404)
                body = (f"<title>{MARK} report</title><article><h1>{MARK} report</h1><p>" +
                        f"The {MARK} numbers of the quarter are good, and here is why they are. " * 20 +
                        f"<a href='/next'>{MARK} next</a></article>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Who:
    """One who calls with a token."""

    def __init__(self, server, token):
        self.token = token
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def ask(self, method, path, body=None, headers=None):
        """(status, text)"""
        headers = dict(headers or {}, **({"Authorization": f"Bearer {self.token}"} if self.token else {}))
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        text = response.read()
        return response.status, text.decode("utf-8", "replace")

    def get(self, path):
        status, text = self.ask("GET", path)
        assert status == 200, (path, status, text)
        return json.loads(text)

    def post(self, path, body=None):
        status, text = self.ask("POST", path, body if body is not None else {})
        assert status < 300, (path, status, text)
        return json.loads(text)

    def upload(self, name, content, workflow_type, field="files", path="/ingest/upload"):
        body = (f"--line\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\n{workflow_type}\r\n"
                f"--line\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n"
                ).encode() + content + b"\r\n--line--\r\n"
        status, text = self.ask("POST", path, body, {"Content-Type": "multipart/form-data; boundary=line"})
        assert status == 202, (status, text)
        return json.loads(text)["uploads"][0]


class Organizations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("organizations")
        cls.model = Model()
        cls.web = Website()
        cls.server = Server(cls.folder.data, None, cls.model,
                            arguments=["--fetch-allow", "127.0.0.1/32", "--fetch-interval", "0ms"]).__enter__()
        cls.acme = Who(cls.server, cls.token("acme"))
        cls.stranger = Who(cls.server, cls.token("stranger"))
        cls.bucket = Who(cls.server, cls.token("*"))
        cls.nobody = Who(cls.server, None)
        cls.paths = json.loads(cls.acme.ask("GET", "/openapi.json")[1])["paths"]
        cls.ids = cls.acme_has()

    @classmethod
    def tearDownClass(cls):
        for who in (cls.acme, cls.stranger, cls.bucket, cls.nobody):
            who.connection.close()
        cls.server.end()
        cls.model.close()
        cls.web.close()
        cls.folder.remove()

    @classmethod
    def token(cls, organization):
        made = subprocess.run([Server.program, "tokens", "create", "--organization", organization, "--name", "t",
                               "--json", "--data", cls.folder.data], capture_output=True, text=True, timeout=60)
        return json.loads(made.stdout)["token"]

    @classmethod
    def acme_has(cls):
        """One of everything, marked; and the ids under which it is found."""
        ids, runs = [], []
        lines = [f"{MARK} AB", "Invoice number 4711", "Invoice date 2026-10-01", "Due date 2026-10-31", "Total 125.00 EUR",
                 "VAT 25% 25.00", f"{MARK} Restaurant 125.00"]
        for name, content, kind in ((f"{MARK}.png", png(1), "image"), (f"{MARK}-receipt.png", png(2), "receipt"),
                                    (f"{MARK}-invoice.pdf", pdf(lines), "invoice"),
                                    (f"{MARK}-card.pdf", pdf(["Statement"] + lines), "creditcard_invoice")):
            upload = cls.acme.upload(name, content, kind)
            ids.append(upload["file_id"])
            runs.append(upload["workflow_run_id"])
        approval = cls.acme.post("/api/approvals", {"title": MARK, "details": MARK})
        ids.append(approval.get("id") or approval["workflow_run_id"])
        told = cls.acme.post("/events/objects", dict(created(f"acme/{MARK}-none.png"), action="Other"))
        ids.append(told["messages"][0]["id"])
        document = cls.acme.post("/api/documents", {"url": cls.web.url + "/" + MARK, "index": True})
        runs.append(document["workflow_run_id"])
        ids += [value for key, value in document.items() if key in ("id", "document_id") and value]
        for run in runs:
            wait_for(f"{run} to end", lambda: cls.acme.get("/api/runs/" + urllib.parse.quote(run, safe=""))["status"]
                     in ("succeeded", "failed"))
        for listed in cls.acme.get("/api/documents").get("documents", []):
            ids.append(listed["id"])
        ids.append(str(cls.card_invoice(ids[3], ids[1])))
        return [str(one) for one in runs + ids]

    @classmethod
    def card_invoice(cls, file_id, receipt_id):
        """A statement with a line, as its workflow would have written it. Its number is also that of its line."""
        database = sqlite3.connect(os.path.join(cls.folder.data, "belay.db"), timeout=30)
        now = int(time.time() * 1000)
        with database:
            main = database.execute(
                "INSERT INTO creditcard_invoices_main (organization_id, invoice_number, source_file_id, customer_name, "
                "currency, created_at, updated_at) VALUES ('acme', ?, ?, ?, 'EUR', ?, ?)",
                (MARK, file_id, MARK, now, now)).lastrowid
            item = database.execute(
                "INSERT INTO creditcard_invoice_items (id, main_id, line_no, merchant_name, purchase_date, amount_sek, "
                "updated_at) VALUES (?, ?, 1, ?, '2026-10-01', '125.00', ?)", (main, main, MARK, now)).lastrowid
            database.execute(
                "INSERT INTO invoice_documents (id, organization_id, invoice_type, source_file_id, creditcard_main_id, "
                "uploaded_at, updated_at) VALUES (?, 'acme', 'credit_card_invoice', ?, ?, ?, ?)",
                (f"inv_{main}", file_id, main, now, now))
            database.execute(
                "INSERT INTO invoice_lines (id, invoice_id, line_no, creditcard_item_id, merchant_name, amount, created_at) "
                "VALUES (?, ?, 1, ?, ?, '125.00', ?)", (main, f"inv_{main}", item, MARK, now))
            run = database.execute("SELECT workflow_run_id FROM unified_files WHERE id = ?", (file_id,)).fetchone()[0]
            database.execute(
                "INSERT OR IGNORE INTO document_findings (workflow_run_id, organization_id, file_id, kind, result, detail, "
                "review, confidence, created_at, updated_at) VALUES (?, 'acme', ?, 'statement', '{}', ?, '[]', 0.5, ?, ?)",
                (run, file_id, json.dumps(STATEMENT), now, now))
        database.close()
        return main

    # ---- what is asked

    def operations(self):
        for path, methods in self.paths.items():
            for method, operation in methods.items():
                if path != "/api/live":
                    yield method.upper(), path, operation

    def targets(self, path, operation):
        """The path with each of Acme's ids in each of its places; as it is if it has none."""
        names = re.findall(r"\{(\w+)\}", path)
        if not names:
            return [path]
        targets = []
        for one in self.ids:
            target = path
            for name in names:
                # A second place is a part of the first: a page, a line, a topic.
                value = one if name == names[0] else "1"
                target = target.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
            targets.append(target)
        return targets

    def body(self, operation):
        """The least that the description asks for: (bytes, headers)."""
        content = operation.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in content:
            return (b"--line\r\nContent-Disposition: form-data; name=\"files\"; filename=\"s.png\"\r\n\r\n" + png(99) +
                    b"\r\n--line--\r\n", {"Content-Type": "multipart/form-data; boundary=line"})
        schema = content.get("application/json", {}).get("schema", {})
        filled = {}
        for name, kind in schema.get("properties", {}).items():
            if name in schema.get("required", []) or name == "file_id":
                filled[name] = self.ids[len(self.ids) // 2] if name == "file_id" else (
                    self.web.url if name == "url" else "x")
        return (json.dumps(filled), {"Content-Type": "application/json"}) if content else (None, {})

    @staticmethod
    def is_open(operation):
        return operation.get("security") == []

    def acme_sees(self):
        """All that Acme can read, without what changes by itself."""
        seen = {}
        for method, path, operation in self.operations():
            # A queue serves every organization: its limits are everybody's.
            if method != "GET" or self.is_open(operation) or path == "/api/queues":
                continue
            for target in self.targets(path, operation):
                status, text = self.acme.ask("GET", target)
                if status == 200:
                    seen[target] = re.sub(r"\([^()]* (ms|s|min|h|d)\)", "", text)  # how long ago something was
        return seen

    # ---- the tests

    def test_1_every_place_for_an_id_is_one_that_acme_can_fill_in(self):
        """Otherwise the stranger's failures below would say nothing."""
        self.assertGreater(len(self.paths), 20)
        for method, path, operation in self.operations():
            if method != "GET" or "{" not in path:
                continue
            with self.subTest(path=path):
                answers = [self.acme.ask("GET", target) for target in self.targets(path, operation)]
                self.assertIn(200, [status for status, _ in answers], f"acme_has() needs one of these: {answers}")

    def test_2_without_a_token_there_is_nothing(self):
        guesser = Who(self.server, "belay_" + "A" * 43)
        self.addCleanup(guesser.connection.close)
        for who in (self.nobody, guesser):
            for method, path, operation in self.operations():
                for target in self.targets(path, operation)[:1]:
                    with self.subTest(method=method, target=target):
                        status, text = who.ask(method, target, *self.body(operation))
                        self.assertNotIn(MARK, text)
                        if not self.is_open(operation):
                            self.assertIn(status, (401, 429), text)

    def test_2b_the_numbers_of_the_whole_server_are_for_its_own_organization(self):
        for who in (self.acme, self.stranger, self.bucket):
            status, text = who.ask("GET", "/metrics")
            self.assertEqual(status, 403, text)
            self.assertIn("the server's own organization", text)
            self.assertNotIn("belay_runs", text)
        own = Who(self.server, self.token("default"))
        self.addCleanup(own.connection.close)
        status, text = own.ask("GET", "/metrics")
        self.assertEqual(status, 200, text)
        self.assertIn("belay_runs", text)

    def test_3_a_stranger_reads_nothing_of_acmes(self):
        for who in (self.stranger, self.bucket):
            for method, path, operation in self.operations():
                if method != "GET":
                    continue
                for target in self.targets(path, operation):
                    if path == "/api/search":
                        target += "?q=" + MARK
                    with self.subTest(target=target):
                        status, text = who.ask("GET", target)
                        self.assertNotIn(MARK, text)
                        if "{" in path:
                            self.assertIn(status, (400, 404), text)
                        else:
                            self.assertLess(status, 500, text)

    def test_4_a_stranger_changes_nothing_of_acmes(self):
        before = self.acme_sees()
        self.assertGreater(len(before), 15)
        for who in (self.stranger, self.bucket):
            for method, path, operation in self.operations():
                if method == "GET":
                    continue
                for target in self.targets(path, operation):
                    with self.subTest(method=method, target=target):
                        status, text = who.ask(method, target, *self.body(operation))
                        self.assertNotIn(MARK, text.replace(urllib.parse.unquote(target), ""))
                        if "{" in path:
                            self.assertIn(status, (400, 404), text)
                        self.assertLess(status, 500, text)
        after = self.acme_sees()
        self.assertEqual(after.keys(), before.keys())
        for target, text in before.items():
            self.assertEqual(after[target], text, target)

    def test_5_a_notification_of_a_stranger_touches_no_object_of_acmes(self):
        before = self.acme.get("/api/uploads")
        for message in (bench.deleted(f"acme/{MARK}.png", "2099-01-01T00:00:00.000Z"), created(f"acme/{MARK}.png")):
            status, text = self.stranger.ask("POST", "/events/objects", message)
            self.assertEqual(json.loads(text)["messages"][0]["status"], "invalid", text)
        self.assertEqual(self.acme.get("/api/uploads"), before)

    def test_6_a_stranger_hears_nothing_of_acmes(self):
        acme, stranger = (Live(self.server.port, token=who.token) for who in (self.acme, self.stranger))
        self.acme.upload(f"{MARK}-live.png", png(7), "image")
        self.assertTrue(any(MARK in json.dumps(message) for message in acme.until("classification_updated")))
        self.stranger.upload("own.png", png(8), "image")
        heard = stranger.until("classification_updated")
        self.assertNotIn(MARK, json.dumps(heard))
        again = Live(self.server.port, after=0, token=self.stranger.token)
        self.assertNotIn(MARK, json.dumps(again.until("classification_updated", "reload")))
        for live in (acme, stranger, again):
            live.close()
        with self.assertRaises(AssertionError):
            Live(self.server.port)

    def test_7_the_same_bytes_are_not_the_same_file(self):
        """Whether somebody else has a file must not show."""
        upload = self.stranger.upload("mine.png", png(1), "image")
        self.assertFalse(upload["duplicate"])
        self.assertNotIn(upload["file_id"], self.ids)


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
