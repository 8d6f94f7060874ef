#!/usr/bin/env python3
"""organizations_test.py — P9 on a real server, on SQLite and on PostgreSQL: an organization sees its own, and nobody else's.

    tests/e2e/organizations_test.py build/dev/belay [-k OnSqlite|OnPostgres|NAME]

What is tried comes from /openapi.json: a path that is added is tried without anybody thinking of it. Acme has one of
everything, all of it marked; the stranger asks every path with every id of Acme's, in every method. He gets nothing
that is marked and changes nothing. A path whose id Acme itself cannot fill in makes the test fail: then has()
needs one of it.

Deeper: the stranger has one of everything of his own. In each body that he sends, each text is replaced by Acme's; in
the input and in every recorded output of every workflow that the server lists, each value in which Acme's record
differs is replaced by Acme's: once at the doors, which refuse, and once in the database behind them, where each step
has to notice by itself (forge.py). A workflow that is added is tried without anybody thinking of it."""

import contextlib
import hashlib
import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True
import bench
import forge
from bench import Folder, Live, Model, Peer, Server, created, png, wait_for
from postgres_test import Database
from tables import PostgresTables, SqliteTables

MARK = "Akmesecret"
# Stands only inside what Acme's files and pages say: who has it has read them.
INSIDE = "Akmeinside"
OWN = "Strangerown"


def pdf(lines):
    """A page of text, in columns."""
    text = "BT /F1 12 Tf 50 780 Td 16 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
               "/Resources << /Font << /F1 5 0 R >> >> >>",
               f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>"]
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
                mark, inside = (MARK, f"{MARK} {INSIDE}") if MARK in self.path else (OWN, OWN)
                body = (f"<title>{mark} report</title><article><h1>{mark} report</h1><p>" +
                        f"The {inside} numbers of the quarter are good, and here is why they are. " * 20 +
                        f"<a href='/next'>{inside} next</a></article>").encode()
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


class Pictures(Model):
    """Sees the secret in Acme's pictures."""

    secrets = {hashlib.sha256(png(seed)).hexdigest() for seed in (1, 7)}

    def _classify(self, body, headers):
        answer = super()._classify(body, headers)
        if hashlib.sha256(body).hexdigest() in self.secrets:
            return 200, {"success": True, "result": [{"label": INSIDE, "score": 0.9}]}
        return answer


class Who:
    """One who calls with a token."""

    def __init__(self, server, token):
        self.token = token
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)

    def ask(self, method, path, body=None, headers=None):
        """(status, text)"""
        headers = dict(headers or {}, **({"Authorization": f"Bearer {self.token}"} if self.token else {}))
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
        except http.client.RemoteDisconnected:
            # It was idle for too long while another was asked.
            self.connection.close()
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

    def picture(self, file_id):
        """Of its first page."""
        def drawn():
            self.connection.request("GET", f"/api/files/{file_id}/pages/1?side=1600",
                                    headers={"Authorization": f"Bearer {self.token}"})
            response = self.connection.getresponse()
            content = response.read()
            return content if response.status == 200 else None
        return wait_for("a picture of a page", drawn)

    def upload(self, name, content, workflow_type, field="files", path="/ingest/upload"):
        body = (f"--line\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\n{workflow_type}\r\n"
                f"--line\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n"
                ).encode() + content + b"\r\n--line--\r\n"
        status, text = self.ask("POST", path, body, {"Content-Type": "multipart/form-data; boundary=line"})
        assert status == 202, (status, text)
        return json.loads(text)["uploads"][0]


class Organizations(unittest.TestCase):
    store = []  # the server's arguments that say where its rows are

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("organizations")
        cls.open_store()
        cls.model = Pictures()
        cls.web = Website()
        cls.told = Peer(lambda body, headers: (200, b"{}"))  # whom the webhook tells
        cls.trap = Peer(lambda body, headers: (200, b"{}"))  # a host that nobody may be led to
        cls.tokens = {}
        cls.start()
        cls.paths = json.loads(cls.acme.ask("GET", "/openapi.json")[1])["paths"]
        cls.ids = cls.has(cls.acme, MARK, INSIDE, (1, 2))
        cls.ids.append(str(cls.card_invoice(cls.ids[-1], cls.ids[-2])))

    @classmethod
    def start(cls):
        cls.server = Server(cls.folder.data, None, cls.model,
                            arguments=[*cls.store, "--fetch-allow", "127.0.0.1/32", "--fetch-interval", "0ms",
                                       "--webhook-url", cls.told.url + "/hook",
                                       "--webhook-secret", "a secret of the server"]).__enter__()
        cls.acme = Who(cls.server, cls.token("acme"))
        cls.stranger = Who(cls.server, cls.token("stranger"))
        cls.bucket = Who(cls.server, cls.token("*"))
        cls.nobody = Who(cls.server, None)

    @classmethod
    def stop(cls):
        for who in (cls.acme, cls.stranger, cls.bucket, cls.nobody):
            who.connection.close()
        cls.server.stop()
        cls.server.end()

    @classmethod
    def tearDownClass(cls):
        cls.stop()
        for peer in (cls.model, cls.web, cls.told, cls.trap):
            peer.close()
        cls.close_store()
        cls.folder.remove()

    @classmethod
    def tables(cls):
        """The rows behind the server, to be closed."""
        return SqliteTables(os.path.join(cls.folder.data, "belay.db"))

    @classmethod
    def open_store(cls):
        pass

    @classmethod
    def close_store(cls):
        pass

    @classmethod
    def token(cls, organization):
        if organization in cls.tokens:
            return cls.tokens[organization]
        made = subprocess.run([Server.program, "tokens", "create", "--organization", organization, "--name", "t",
                               "--json", *(cls.store[:2] or ["--data", cls.folder.data])], capture_output=True, text=True, timeout=60)
        cls.tokens[organization] = json.loads(made.stdout)["token"]
        return cls.tokens[organization]

    @classmethod
    def has(cls, who, mark, inside, seeds):
        """One of everything, marked; and the ids under which it is found. The last two are of a receipt and a
        statement."""
        ids, runs = [], []
        lines = [f"{inside} AB", "Invoice number 4711", "Invoice date 2026-10-01", "Due date 2026-10-31",
                 "Total 125.00 EUR", "VAT 25% 25.00", f"{inside} Restaurant 125.00"]
        card = ["Period: 2026-10-01 to 2026-10-31", f"Invoice number {seeds[0]}0077", f"2026-10-02 {inside}   123.45",
                "2026-10-15 TAXI AB   456.55", "Total   580.00 EUR"]

        def put(name, content, kind):
            upload = who.upload(name, content, kind)
            ids.append(upload["file_id"])
            runs.append(upload["workflow_run_id"])
            return upload["file_id"]

        put(f"{mark}.png", png(seeds[0]), "image")
        invoice = put(f"{mark}-invoice.pdf", pdf(lines), "invoice")
        statement = put(f"{mark}-card.pdf", pdf(card), "creditcard_invoice")
        # A page that the server has drawn is a picture of a receipt.
        receipt = put(f"{mark}-receipt.jpg", who.picture(put(f"{mark}-paper.pdf", pdf(
            [f"{inside} AB", "Org.nr 556000-0000", "2026-10-02 12:31", "Kaffe 25.00", "Total 125.00 EUR", "VAT 25% 25.00",
             "VISA **** 1234"]), "invoice")), "receipt")
        approval = who.post("/api/approvals", {"title": mark, "details": mark})
        ids.append(approval.get("id") or approval["workflow_run_id"])
        answered = who.post("/api/approvals", {"title": mark + " answered", "details": mark})
        who.post(f"/api/approvals/{answered['id']}/approve")
        runs.append(answered["workflow_run_id"])
        told = who.post("/events/objects", dict(created(f"acme/{mark}-none.png"), action="Other"))
        ids.append(told["messages"][0]["id"])
        document = who.post("/api/documents", {"url": cls.web.url + "/" + mark, "index": True})
        runs.append(document["workflow_run_id"])
        runs.append(who.post("/api/documents", {"url": f"{cls.web.url}/{mark}/alone"})["workflow_run_id"])
        ids += [value for key, value in document.items() if key in ("id", "document_id") and value]
        for run in runs:
            wait_for(f"{run} to end", lambda: who.get("/api/runs/" + urllib.parse.quote(run, safe=""))["status"]
                     in ("succeeded", "failed"))
        for listed in who.get("/api/documents").get("documents", []):
            ids.append(listed["id"])
        return [str(one) for one in runs + ids + [receipt, statement]]

    @classmethod
    def card_invoice(cls, file_id, receipt_id):
        """A statement with a line, as its workflow would have written it. Its number is also that of its line."""
        main, now = 1001, int(time.time() * 1000)
        with contextlib.closing(cls.tables()) as tables:
            tables.insert("creditcard_invoices_main", {
                "id": main, "organization_id": "acme", "invoice_number": MARK, "source_file_id": file_id,
                "customer_name": MARK, "currency": "EUR", "created_at": now, "updated_at": now})
            tables.insert("creditcard_invoice_items", {
                "id": main, "main_id": main, "line_no": 1, "merchant_name": MARK, "purchase_date": "2026-10-01",
                "amount_sek": "125.00", "updated_at": now})
            tables.insert("invoice_documents", {
                "id": f"inv_{main}", "organization_id": "acme", "invoice_type": "credit_card_invoice",
                "source_file_id": file_id, "creditcard_main_id": main, "uploaded_at": now, "updated_at": now})
            tables.insert("invoice_lines", {
                "id": main, "invoice_id": f"inv_{main}", "line_no": 1, "creditcard_item_id": main, "merchant_name": MARK,
                "amount": "125.00", "created_at": now})
            run = tables.select("SELECT workflow_run_id FROM unified_files WHERE id = ?", file_id)[0]["workflow_run_id"]
            tables.insert("document_findings", {
                "workflow_run_id": run, "organization_id": "acme", "file_id": file_id, "kind": "statement", "result": "{}",
                "detail": json.dumps(STATEMENT), "review": "[]", "confidence": 0.5, "created_at": now, "updated_at": now})
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

    def bodies(self, operation, theirs):
        """Every text of the body is this of somebody else's; the least where there is none."""
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        filled = {name: self.filled(kind, theirs) for name, kind in schema.get("properties", {}).items()}
        return (json.dumps(filled), {"Content-Type": "application/json"}) if filled else self.body(operation)

    def filled(self, kind, theirs):
        kinds = kind.get("type", "string")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "enum" in kind:
            return kind["enum"][0]
        if "object" in kinds:
            return {name: self.filled(inner, theirs) for name, inner in kind.get("properties", {}).items()}
        if "array" in kinds:
            return [self.filled(kind.get("items", {}), theirs)]
        return theirs if "string" in kinds else 1 if "integer" in kinds else True if "boolean" in kinds else None

    @staticmethod
    def is_open(operation):
        return operation.get("security") == []

    def acme_sees(self):
        """All that Acme can read, without what changes by itself: a webhook that still tells is waited for."""
        wait_for("Acme's runs to be over", lambda: not any(
            self.acme.get("/api/runs?limit=1&status=" + status)["runs"] for status in ("queued", "running")))
        seen = {}
        for method, path, operation in self.operations():
            # A queue serves every organization: its limits are everybody's.
            if method != "GET" or self.is_open(operation) or path == "/api/queues":
                continue
            for target in self.targets(path, operation):
                status, text = self.acme.ask("GET", target)
                if status == 200:
                    text = re.sub(r"\([^()]* (ms|s|min|h|d)\)", "", text)  # how long ago something was
                    seen[target] = re.sub(r'"last_used_at":"[^"]*"', "", text)  # Acme's token asks this
        return seen

    # ---- the tests

    def test_1_every_place_for_an_id_is_one_that_acme_can_fill_in(self):
        """Otherwise the stranger's failures below would say nothing."""
        self.assertGreater(len(self.paths), 20)
        for method, path, operation in self.operations():
            if method != "GET" or "{" not in path:
                continue
            with self.subTest(path=path):
                targets = self.targets(path, operation)
                targets.append(path.replace("{key}", "IMAGE_CLASSIFICATION"))  # a workflow is nobody's: all may know it
                answers = [self.acme.ask("GET", target) for target in targets]
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
        before = self.without_motion(self.acme_sees())
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
        after = self.without_motion(self.acme_sees())
        self.assertEqual(after.keys(), before.keys())
        for target, text in before.items():
            self.assertEqual(after[target], text, target)

    def test_5_a_notification_of_a_stranger_touches_no_object_of_acmes(self):
        before = self.acme.get("/api/uploads")
        told = {}
        for name in (MARK, "nobody-has-it"):
            for message, end in ((bench.deleted(f"acme/{name}.png", "2099-01-01T00:00:00.000Z"), "ignored"),
                                 (created(f"acme/{name}.png"), "invalid")):
                _, text = self.stranger.ask("POST", "/events/objects", message)
                one = "/api/inbox/" + json.loads(text)["messages"][0]["id"]
                seen = wait_for("its end", lambda: [m for m in [json.loads(self.stranger.ask("GET", one)[1])]
                                                    if m["status"] == end])
                told.setdefault(end, set()).add(seen[0]["reason"])
        # And he does not learn what there is.
        self.assertEqual([len(reasons) for reasons in told.values()], [1, 1], told)
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

    def test_z_the_same_bytes_are_not_the_same_file(self):
        """Whether somebody else has a file must not show."""
        upload = self.stranger.upload("mine.png", png(1), "image")
        self.assertFalse(upload["duplicate"])
        self.assertNotIn(upload["file_id"], self.ids)

    # ---- deeper: what a stranger says about his own

    @classmethod
    def stranger_has(cls):
        if not hasattr(cls, "own"):
            cls.own = cls.has(cls.stranger, OWN, OWN, (101, 102))
        return cls.own

    @classmethod
    def workflows(cls):
        """All that the server has, from the server."""
        return sorted({key for worker in cls.acme.get("/api/workers")["workers"] for key in worker["workflow_keys"]})

    @classmethod
    def runs_of(cls, who):
        """A finished run of each workflow, with its stages; children and forks are not taken."""
        found = {}
        for run in who.get("/api/runs?limit=200&status=succeeded")["runs"]:
            if "/" not in run["id"]:
                found[run["workflow_key"]] = who.get("/api/runs/" + urllib.parse.quote(run["id"], safe=""))
        return found

    def stranger_sees_nothing_inside(self):
        """In nothing that he can read, the pages of his files included."""
        runs, cursor = [], ""
        while cursor is not None:
            page = self.stranger.get("/api/runs?limit=200&cursor=" + cursor)
            runs, cursor = runs + page["runs"], page["next_cursor"]
        files = [row["file_id"] for row in self.stranger.get("/api/uploads?limit=200")["uploads"]]
        documents = [row["id"] for row in self.stranger.get("/api/documents?limit=200")["documents"]]
        for method, path, operation in self.operations():
            if method != "GET" or self.is_open(operation):
                continue
            names = re.findall(r"\{(\w+)\}", path)
            # A run says the same in all its views: every one is looked at in the first, the newest in all of them.
            shown = runs if path.endswith("/runs/{id}") else runs[:50]
            places = [""] if not names else ([run["id"] for run in shown] if "/runs/" in path else files + documents +
                                             self.own)
            for place in places:
                target = path
                for name in names:
                    value = place if name == names[0] else "1"
                    target = target.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
                if path == "/api/search":
                    target += "?q=" + INSIDE
                status, text = self.stranger.ask("GET", target)
                if path == "/api/search":  # what he asked for is said again, once
                    text = text.replace(f'"{INSIDE}"', "", 1)
                self.assertNotIn(INSIDE, text, target)
                self.assertLess(status, 500, target)

    def without_motion(self, seen):
        """What does not change with the process or with what others do. A picture may not be drawn yet."""
        return {target: "a picture" if text.startswith(("<svg", "\ufffd\ufffd\ufffd\ufffd\0\x10JFIF")) else
                re.sub(r'"executor":"[^"]*"', "", text) for target, text in seen.items()
                if not target.startswith(("/api/workers", "/api/activity", "/api/queues", "/api/helper"))}

    def test_8a_a_body_that_names_what_is_acmes_is_as_good_as_one_that_names_nothing(self):
        own = self.stranger_has()
        before = self.without_motion(self.acme_sees())
        for method, path, operation in self.operations():
            if "requestBody" not in operation:
                continue
            names = re.findall(r"\{(\w+)\}", path)
            for place in (own if names else [""]):
                target = path
                for name in names:
                    value = place if name == names[0] else "1"
                    target = target.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
                for number, theirs in enumerate(self.ids):
                    with self.subTest(method=method, target=target, theirs=theirs):
                        status, text = self.stranger.ask(method, target, *self.bodies(operation, theirs))
                        self.assertLess(status, 500, text)
                        self.assertNotIn(INSIDE, text)
                        if status == 404 and names:
                            break  # it is not about that kind of thing
        self.assertEqual(self.without_motion(self.acme_sees()), before)
        self.stranger_sees_nothing_inside()

    def test_8b_a_fork_gives_no_workflow_what_is_acmes(self):
        self.stranger_has()
        own, theirs = self.runs_of(self.stranger), self.runs_of(self.acme)
        tried = 0
        for key, run in own.items():
            self.assertIn(key, theirs, "has() needs a run of it that succeeds")
            fork = f"/api/runs/{urllib.parse.quote(run['id'], safe='')}/fork"
            for what, forged in forge.forgeries(run["input"], theirs[key]["input"], (INSIDE, self.web.url),
                                                "127.0.0.1:9"):
                with self.subTest(workflow=key, input=what):
                    status, text = self.stranger.ask("POST", fork, {"input": forged})
                    self.assertLess(status, 500, text)
                    if any(other in json.dumps(forged) for other in self.ids):
                        self.assertIn(status, (400, 404), text)
                    tried += 1
            for stage in run["stages"]:
                with self.subTest(workflow=key, output=stage["stage_key"]):
                    status, text = self.stranger.ask("POST", fork, {"outputs": {stage["path"]: {"forged": True}}})
                    self.assertIn(status, (400, 404), text)
                    tried += 1
        self.assertGreater(tried, 20)

    def test_8c_what_is_not_exposed_is_not_there(self):
        self.stranger_has()
        internal = self.runs_of(self.stranger).get("WEBHOOK")
        self.assertIsNotNone(internal, "runs that end are told of")
        status, text = self.stranger.ask("POST", f"/api/runs/{internal['id']}/fork", {"from": "deliver"})
        self.assertEqual(status, 404, text)
        self.assertNotIn("WEBHOOK", text.split("there are:")[-1])

    def test_8d_an_id_is_nobody_elses(self):
        """Whether it is there, taken or to come: the answer is the same, and the run is the caller's own."""
        self.stranger_has()
        run = self.runs_of(self.stranger)["FETCH_DOCUMENT" if "FETCH_DOCUMENT" in self.runs_of(self.stranger)
                                          else "IMAGE_CLASSIFICATION"]
        fork = f"/api/runs/{urllib.parse.quote(run['id'], safe='')}/fork"
        step = run["stages"][-1]["path"]
        bytes_to_come = png(4711)
        mine = self.stranger.upload("to-come.png", bytes_to_come, "image")
        etag = self.stranger.get("/api/files/" + mine["file_id"])["etag"]
        self.assertIn(hashlib.sha256(f"{mine['key']}:{etag}".encode()).hexdigest(), mine["workflow_run_id"])
        coming = ["imgcls_" + hashlib.sha256(
            f"{mine['key'].replace('stranger/', 'acme/', 1)}:{etag}".encode()).hexdigest()]
        for chosen in self.ids[:3] + coming + [self.ids[0] + "/1", "nobody-has-this"]:
            with self.subTest(chosen=chosen):
                status, text = self.stranger.ask("POST", fork, {"from": step, "id": chosen})
                self.assertEqual(status, 202, text)
                self.assertEqual(json.loads(text)["id"], chosen)
                seen = self.stranger.get("/api/runs/" + urllib.parse.quote(chosen, safe=""))
                self.assertEqual(seen["forked_from"], run["id"])
                self.assertIn(chosen, [one["id"] for one in self.stranger.get("/api/runs?limit=200")["runs"]])
                status, text = self.stranger.ask("POST", fork, {"from": step, "id": chosen})
                self.assertEqual(status, 409, text)
                if chosen in self.ids:
                    theirs = self.acme.get("/api/runs/" + urllib.parse.quote(chosen, safe=""))
                    self.assertNotEqual(theirs.get("forked_from"), run["id"])
                    # A message is for the caller's own run of that name.
                    self.stranger.ask("POST", f"/api/runs/{chosen}/messages/squat", "1",
                                      {"Content-Type": "application/json"})
        upload = self.acme.upload("to-come.png", bytes_to_come, "image")
        self.assertIn(upload["workflow_run_id"], coming)
        with contextlib.closing(self.tables()) as tables:
            self.assertEqual(tables.select("SELECT run_id FROM workflow_messages WHERE topic = 'squat' AND "
                                           "run_id NOT LIKE 'chosen@stranger/%'"), [])

    def test_8e_a_guest_reads_no_host_and_no_path(self):
        self.stranger_has()
        hidden = [self.folder.data, os.uname().nodename + "/", self.told.url]
        for method, path, operation in self.operations():
            if method != "GET" or self.is_open(operation):
                continue
            for target in ([path] if "{" not in path else
                           [path.replace("{id}", urllib.parse.quote(one, safe="")) for one in self.own]):
                status, text = self.stranger.ask("GET", target)
                for name in hidden:
                    self.assertNotIn(name, text, target)

    def test_8f_a_start_gives_no_workflow_what_is_acmes(self):
        self.stranger_has()
        before = self.without_motion(self.acme_sees())
        own, theirs = self.runs_of(self.stranger), self.runs_of(self.acme)
        tried = 0
        for number, (key, run) in enumerate(sorted(own.items())):
            start = f"/api/workflows/{key}/runs"
            for what, forged in forge.forgeries(run["input"], theirs[key]["input"], (INSIDE, self.web.url), "127.0.0.1:9"):
                with self.subTest(workflow=key, input=what):
                    status, text = self.stranger.ask("POST", start, {"input": forged})
                    self.assertNotIn(INSIDE, text)
                    if key == "WEBHOOK" or any(other in json.dumps(forged) for other in self.ids):
                        self.assertIn(status, (400, 404), text)
                    self.assertLess(status, 500, text)
                    tried += 1
            with self.subTest(workflow=key):
                status, text = self.stranger.ask("POST", start, {"input": run["input"], "organization": "acme"})
                self.assertIn(status, (400, 403, 404), text)
                # Whether Acme has a run of that id does not show, and it is not joined.
                chosen = theirs[key]["id"] + "-1" if number % 2 else theirs[key]["id"]
                status, text = self.stranger.ask("POST", start, {"input": run["input"], "id": chosen})
                other, _ = self.stranger.ask("POST", start, {"input": run["input"], "id": f"nobody-has-this-{number}"})
                if status == 409:  # one that test_8d has taken is the stranger's own
                    own_one = self.stranger.get("/api/runs/" + urllib.parse.quote(chosen, safe=""))
                    self.assertEqual(own_one["organization_id"], "stranger")
                else:
                    self.assertEqual(status, other, text)
        self.assertGreater(tried, 5)
        self.assertEqual(self.without_motion(self.acme_sees()), before)

    def test_9_no_step_believes_a_record(self):
        """Behind the doors: records that say what Acme's say, in runs of the stranger's."""
        self.stranger_has()
        keys = self.workflows()
        before = self.without_motion(self.acme_sees())
        cls = type(self)
        cls.stop()
        records = forge.Records(self.tables())
        own, theirs = records.runs("stranger"), records.runs("acme")
        trap = f"127.0.0.1:{self.trap.server.server_address[1]}"
        forged = {}
        for key in keys:
            if key not in own:
                continue

            def add(what, **record):
                public_id = f"forged-{len(forged)}"
                records.forge(own[key], public_id, **record)
                forged[public_id] = f"{key}: {what}"

            for what, text in forge.forgeries(json.loads(own[key]["input"]), json.loads(theirs[key]["input"]),
                                              (INSIDE, self.web.url), trap):
                add(f"input {what}", input_text=json.dumps(text))
            others = {stage["path"]: stage for stage in records.stages(theirs[key])}
            stages = records.stages(own[key])
            for stage in stages:
                other = others.get(stage["path"])
                if other is None or not stage["output"] or not other["output"] or \
                        other["stage_key"] != stage["stage_key"] or "blob:" in (stage["output"][:5], other["output"][:5]):
                    continue
                texts = list(forge.forgeries(json.loads(stage["output"]), json.loads(other["output"]),
                                             (INSIDE, self.web.url), trap))
                for what, text in texts:
                    add(f"{stage['stage_key']} {what}", edited=stage, output=json.dumps(text))
                # The steps in between may refuse it: whoever comes after each of them is asked as well.
                for later in stages:
                    if later["status"] == "succeeded" and forge.order(later["path"]) > forge.order(stage["path"]):
                        for what, text in forge.whole(texts):
                            add(f"{stage['stage_key']} {what}, seen after {later['stage_key']}", edited=stage,
                                output=json.dumps(text), until=later)
        records.tables.watch(INSIDE)
        records.close()
        missing = [key for key in keys if key not in own]
        self.told.requests.clear()
        self.trap.requests.clear()
        cls.start()
        self.assertGreater(len(forged), 30)
        # What belongs to the server itself has no runs of organizations.
        self.assertEqual([key for key in missing if self.exposed(key)], [], "has() needs a run of these")

        def over():
            with contextlib.closing(self.tables()) as tables:
                runs = tables.select("SELECT public_id, status, wake_at FROM workflow_runs "
                                     "WHERE public_id LIKE 'forged-%'")
            # A question that nobody answers waits for days.
            days = (time.time() + 24 * 3600) * 1000
            return runs if all(run["status"] in ("succeeded", "failed", "paused", "canceled") or
                               (run["status"] == "waiting" and (run["wake_at"] or 0) > days) for run in runs) else None

        ended = wait_for("the forged runs to end", over, 300)
        status = {run["public_id"]: run["status"] for run in ended}
        self.assertEqual({run.split("/")[0] for run in status}, forged.keys())
        # One whose record does not fit its code would have tried nothing; with others after it, it may not fit those.
        self.assertEqual([forged.get(run, run) for run in status if status[run] == "paused" and
                          ", seen after" not in forged.get(run.split("/")[0], "")], [])
        self.assertIn("failed", status.values())
        # None of Acme's executed meanwhile.
        with contextlib.closing(self.tables()) as tables:
            self.assertEqual(tables.seen(), [])
        after = self.without_motion(self.acme_sees())
        for target in sorted(before.keys() | after.keys()):
            self.assertEqual(after.get(target), before.get(target), target)
        self.stranger_sees_nothing_inside()
        self.assertEqual(self.trap.requests, [], "somebody was led to another host")
        for path, headers, body in self.told.requests:
            self.assertNotIn('"organization_id":"acme"', body.decode())

    def exposed(self, key):
        """As the door for forks sees it."""
        _, text = self.stranger.ask("POST", f"/api/runs/{self.runs_of(self.stranger)['WEBHOOK']['id']}/fork",
                                    {"from": "deliver"})
        return key in text.split("there are:")[-1]


class OnSqlite(Organizations):
    pass


class OnPostgres(Organizations):
    @classmethod
    def open_store(cls):
        cls.database = Database()
        cls.store = ["--store", cls.database.store("organizations"), "--objects", f"shared:{cls.folder.root}/objects"]

    @classmethod
    def close_store(cls):
        cls.database.end()

    @classmethod
    def tables(cls):
        return PostgresTables(cls.database, "organizations")


del Organizations  # is no test of its own


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
