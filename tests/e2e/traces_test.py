#!/usr/bin/env python3
"""traces_test.py — what a server that is killed has told its collector of traces: each stage and each attempt, once.

    tests/e2e/traces_test.py build/dev/belay

The collector is a small one of our own. It takes what OTLP's JSON may be and nothing else, and every span once."""

import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True
from bench import Died, Folder, Model, Server, png, wait_for
from postgres_test import Database

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
GIVEN = f"00-{TRACE}-{PARENT}-01"


class Collector:
    """Keeps spans by id. `answers` come first, one for each request: (status, headers)."""

    FIELDS = {"traceId", "spanId", "parentSpanId", "traceState", "flags", "name", "kind", "startTimeUnixNano",
              "endTimeUnixNano", "attributes", "events", "links", "status"}

    def __init__(self, port=0):
        self.spans, self.faults, self.headers, self.answers, self.resource = {}, [], [], [], {}
        self.again = []  # the names of spans that came more than once
        self.lock = threading.Lock()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with collector.lock:
                    collector.headers.append(dict(self.headers))
                    status, headers = collector.answers.pop(0) if collector.answers else (200, {})
                    if status == 200:
                        collector.take(self.path, self.headers, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def check(self, good, what):
        if not good:
            self.faults.append(what)

    def take(self, path, headers, body):
        self.check(path == "/v1/traces", path)
        self.check(headers.get("Content-Type") == "application/json", headers.get("Content-Type"))
        for resource in json.loads(body)["resourceSpans"]:
            self.resource = self.attributes(resource["resource"])
            for scope in resource["scopeSpans"]:
                self.check(scope["scope"]["name"], "a scope without a name")
                for span in scope["spans"]:
                    self.take_span(span)

    def attributes(self, of):
        found = {}
        for one in of.get("attributes", []):
            (kind, value), = one["value"].items()
            self.check(kind in ("stringValue", "intValue", "boolValue"), kind)
            self.check(isinstance(value, bool) if kind == "boolValue" else isinstance(value, str), one)
            self.check(one["key"] not in found, "twice: " + one["key"])
            found[one["key"]] = value
        return found

    def take_span(self, span):
        name = span["name"]
        self.check(not set(span) - self.FIELDS, f"{name}: {set(span) - self.FIELDS}")
        self.check(re.fullmatch("[0-9a-f]{32}", span["traceId"]), f"{name}: trace {span['traceId']}")
        for field in ("spanId", "parentSpanId"):
            if field in span:
                self.check(re.fullmatch("[0-9a-f]{16}", span[field]), f"{name}: {field} {span[field]}")
        for field in ("startTimeUnixNano", "endTimeUnixNano"):
            self.check(isinstance(span[field], str) and re.fullmatch("[0-9]{19}", span[field]), f"{name}: {span[field]}")
        self.check(int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"]), f"{name} ends before it begins")
        self.check(span["kind"] in range(1, 6), f"{name}: kind {span['kind']}")
        self.check(set(span["status"]) <= {"code", "message"}, f"{name}: {span['status']}")
        span["is"] = self.attributes(span)
        if span["spanId"] in self.spans:
            self.again.append(name)
            self.check(self.spans[span["spanId"]] == span, f"{name} came twice, and not as the same: {span}")
        self.spans[span["spanId"]] = span

    def all(self):
        with self.lock:
            return list(self.spans.values())

    def named(self, name, run=None):
        return [span for span in self.all() if span["name"] == name and run in (None, span["is"].get("belay.run.id"))]

    def run_of(self, run_id):
        """The run's own span; nothing if it has not come."""
        return next((span for span in self.all() if span["kind"] == 5 and span["is"]["belay.run.id"] == run_id), None)

    def all_faults(self):
        """Also parents that never came, unless they are somebody else's."""
        faults = list(self.faults)
        for span in self.all():
            parent = span.get("parentSpanId")
            if parent is None or span["flags"] & 0x200:
                continue
            if parent not in self.spans:
                faults.append(f"{span['name']} has a parent that never came")
            elif self.spans[parent]["traceId"] != span["traceId"]:
                faults.append(f"{span['name']} is in another trace than its parent")
        return faults


class Traces(unittest.TestCase):
    def setUp(self):
        self.folder = Folder("traces")
        self.model = Model()
        self.collector = Collector()

    def tearDown(self):
        self.model.close()
        self.collector.close()
        self.folder.remove()

    def server(self, *arguments, point=None, environment=None):
        return Server(self.folder.data, point, self.model,
                      arguments or ("--otlp", self.collector.url), environment)

    def check_spans_of(self, server, run_id, once=True):
        """One span for the run, for each stage and for each attempt that the server itself tells of."""
        run = server.run(run_id)
        told = wait_for("the run's span", lambda: self.collector.run_of(run_id))
        for stage in run["stages"]:
            spans = [span for span in self.collector.all() if span["is"].get("belay.run.id") == run_id
                     and span["is"].get("belay.stage.key") == stage["stage_key"] and "belay.stage.path" in span["is"]]
            self.assertEqual(len(spans), 1, stage)
            attempts = self.collector.named(stage["stage_key"] + " attempt", run_id)
            kind = spans[0]["is"]["belay.stage.kind"]
            was_tried = kind in ("step", "transaction") and not spans[0]["is"].get("belay.stage.cached")
            self.assertEqual(len(attempts), stage["attempt"] if was_tried else 0, stage)
        self.assertEqual(self.collector.all_faults(), [])
        if once:
            self.assertEqual(self.collector.again, [])
        return told

    def test_a_run_whose_server_is_killed_in_a_step_has_each_stage_and_attempt_once(self):
        self.model.gate.clear()
        with self.server() as server:
            status, answer = server.upload("reef.png", png(1), headers={"traceparent": GIVEN, "tracestate": "v=1"})
            self.assertEqual(status, 202, answer)
            run_id = answer["uploads"][0]["workflow_run_id"]
            wait_for("the model is asked", lambda: self.model.requests)
            server.kill()
        self.model.gate.set()
        with self.server() as server:
            server.await_status(run_id, "succeeded")
            run = self.check_spans_of(server, run_id)
            self.assertEqual(run["traceId"], TRACE)
            self.assertEqual(run["parentSpanId"], PARENT)
            self.assertEqual(run["traceState"], "v=1")
            events = [event["name"] for event in run["events"]]
            self.assertEqual(events, ["belay.worker.died", "belay.run.picked_up"])
            # The model was told whose call it is: that of the call, which lies below the attempt.
            asked = self.model.requests[-1][1]
            _, trace, span, _ = asked["traceparent"].split("-")
            self.assertEqual(trace, TRACE)
            self.assertEqual(asked["tracestate"], "v=1")
            call = wait_for("the call's span", lambda: self.collector.spans.get(span))
            self.assertEqual(call["kind"], 3)
            self.assertEqual(call["is"]["gen_ai.operation.name"], "classify")
            self.assertEqual(call["is"]["gen_ai.request.model"], "@cf/microsoft/resnet-50")
            self.assertIn("attempt", self.collector.spans[call["parentSpanId"]]["name"])
            self.assertEqual(server.stop(), 0)

    def test_wherever_it_is_killed_nothing_is_told_twice_and_nothing_is_missing(self):
        for number, point in enumerate(["commit.after:3", "step.before:2", "step.after:1", "step.after:2", "loop.resume:2",
                                        "end.before:1", "commit.before:6", "commit.after:7", "commit.after:9"]):
            with self.subTest(point=point):
                picture = png(f"{point}")
                server = self.server(point=point)
                run_id = None
                try:
                    with server:
                        _, answer = server.upload(f"{number}.png", picture)
                        run_id = answer["uploads"][0]["workflow_run_id"]
                        wait_for("it dies, or is done", lambda: server.died() or self.collector.run_of(run_id))
                        if not server.died():
                            server.stop()
                except (OSError, Died, http.client.HTTPException):
                    pass
                server.end()
                with self.server() as server:
                    if run_id is None:
                        _, answer = server.upload(f"{number}.png", picture)
                        run_id = answer["uploads"][0]["workflow_run_id"]
                    server.await_status(run_id, "succeeded")
                    # Between the collector's answer and the commit that marks it, it may be told again, as the same.
                    self.check_spans_of(server, run_id, once=not point.startswith("commit"))
                    self.assertEqual(server.stop(), 0)
                self.collector.again.clear()

    def test_a_collector_that_is_away_gets_all_of_it_when_it_is_back_also_after_a_restart(self):
        port = self.collector.port
        self.collector.close()
        with self.server() as server:
            _, answer = server.upload("reef.png", png(2))
            run_id = answer["uploads"][0]["workflow_run_id"]
            server.await_status(run_id, "succeeded")
            wait_for("it has tried", lambda: "belay_traces_failures_total 0" not in self.metrics(server))
            self.assertIn("belay_traces_runs_waiting 1", self.metrics(server))
            self.assertEqual(server.stop(), 0)  # and in time, although nobody answers
        doctor = subprocess.run([Server.program, "doctor", "--data", self.folder.data], capture_output=True, text=True,
                                timeout=60)
        self.assertIn("runs that wait for the collector: 1", doctor.stdout)
        self.collector = Collector(port)
        self.collector.answers = [(503, {"Retry-After": "1"}), (429, {})]
        with self.server() as server:
            self.check_spans_of(server, run_id)
            self.assertIn("belay_traces_runs_waiting 0", wait_for("nothing waits", lambda: (
                lambda text: text if "belay_traces_runs_waiting 0" in text else None)(self.metrics(server))))

    def test_what_is_ready_is_sent_before_a_clean_stop_ends(self):
        with self.server() as server:
            _, answer = server.upload("reef.png", png(3))
            run_id = answer["uploads"][0]["workflow_run_id"]
            server.await_status(run_id, "succeeded")
            self.assertEqual(server.stop(), 0)
        self.assertIsNotNone(self.collector.run_of(run_id))
        self.assertEqual(self.collector.all_faults(), [])

    def test_opentelemetrys_own_variables_are_understood(self):
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.url, "OTEL_SERVICE_NAME": "photos",
                       "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20secret", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test"}
        with self.server("--rate-limit", "0", environment=environment) as server:
            _, answer = server.upload("reef.png", png(4))
            run_id = answer["uploads"][0]["workflow_run_id"]
            server.await_status(run_id, "succeeded")
            self.check_spans_of(server, run_id)
        self.assertEqual(self.collector.resource["service.name"], "photos")
        self.assertEqual(self.collector.resource["deployment.environment"], "test")
        self.assertEqual({name.lower(): value for name, value in self.collector.headers[0].items()}["x-key"], "a secret")

    def test_pages_of_strangers_are_fetched_without_our_ids(self):
        seen = []

        class Page(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                seen.append({name.lower() for name in self.headers})
                body = b"<html><title>Rope</title><body><p>Twelve metres of rope, new and unused.</p></body></html>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{site.server_address[1]}/rope"
        with self.server("--otlp", self.collector.url, "--fetch-allow", "127.0.0.0/8", "--fetch-interval", "0ms",
                         "--fetch-robots", "off") as server:
            status, answer = server.call("POST", "/api/workflows/FETCH_DOCUMENT/runs", {"input": {"url": url}},
                                         {"traceparent": GIVEN})
            self.assertEqual(status, 202, answer)
            server.await_status(answer["id"], "succeeded")
            self.assertEqual(self.check_spans_of(server, answer["id"])["traceId"], TRACE)
            # The command line says it, too, and asks the server that executes.
            made = subprocess.run([Server.program, "submit", "FETCH_DOCUMENT", json.dumps({"url": url + "?2"}), "--traceparent",
                                   GIVEN, "--data", self.folder.data, "--json"], capture_output=True, text=True, timeout=60)
            self.assertEqual(made.returncode, 0, made.stderr)
            run_id = json.loads(made.stdout)["id"]
            server.await_status(run_id, "succeeded")
            self.assertEqual(self.check_spans_of(server, run_id)["parentSpanId"], PARENT)
            wrong = subprocess.run([Server.program, "submit", "FETCH_DOCUMENT", "{}", "--traceparent", "00-x", "--data",
                                    self.folder.data], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(wrong.returncode, 0)
            self.assertIn("is no traceparent", wrong.stderr)
        site.shutdown()
        site.server_close()
        self.assertGreaterEqual(len(seen), 2)
        for names in seen:
            self.assertFalse(names & {"traceparent", "tracestate"})

    def test_a_malformed_header_is_as_if_it_was_not_there(self):
        with self.server() as server:
            for number, header in enumerate(["00-" + "0" * 32 + f"-{PARENT}-01", GIVEN.upper(), "x" * 5000, GIVEN + "-00", ""]):
                status, answer = server.upload(f"{number}.png", png(f"m{number}"), headers={"traceparent": header})
                self.assertEqual(status, 202, answer)
                run_id = answer["uploads"][0]["workflow_run_id"]
                self.assertNotIn("traceparent", server.run(run_id).get("labels") or {})

    def test_of_two_servers_on_postgres_each_run_is_told_by_one_also_when_one_is_killed(self):
        database = Database()
        self.addCleanup(database.end)
        places = [Folder("traces-one"), Folder("traces-two")]
        for place in places:
            self.addCleanup(place.remove)

        def worker(place):
            return Server(place.data, None, self.model, ["--otlp", self.collector.url, "--store", database.store("traces"),
                                                         "--objects", f"shared:{self.folder.root}/objects"])

        runs = []
        with worker(places[0]) as one, worker(places[1]) as two:
            for number in range(6):
                server = (one, two)[number % 2]
                status, answer = server.upload(f"{number}.png", png(f"p{number}"), headers={"traceparent": GIVEN})
                self.assertEqual(status, 202, answer)
                runs.append(answer["uploads"][0]["workflow_run_id"])
            for run_id in runs:  # a call of a model is told before its attempt: nothing is missing once all have ended
                one.await_status(run_id, "succeeded")
                wait_for("the run's span", lambda: self.collector.run_of(run_id))
            for run_id in runs:
                self.check_spans_of(one, run_id)
            self.model.gate.clear()
            asked = len(self.model.requests)
            _, answer = one.upload("last.png", png("last"))
            run_id = answer["uploads"][0]["workflow_run_id"]
            wait_for("the model is asked", lambda: len(self.model.requests) > asked)
            one.kill()
            self.model.gate.set()
            two.await_status(run_id, "succeeded")
            self.check_spans_of(two, run_id)
            told = sorted(span["is"]["belay.run.id"] for span in self.collector.all() if span["kind"] == 5)
            self.assertEqual(told, sorted([*runs, run_id]))
            self.assertEqual(two.stop(), 0)

    @staticmethod
    def metrics(server):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        try:
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()
        finally:
            connection.close()


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
