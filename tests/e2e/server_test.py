#!/usr/bin/env python3
"""server_test.py — the specification's checklist and failure matrix (000), on a real server that is really killed.

    tests/e2e/server_test.py build/dev/belay [-k NAME]

Each row of the matrix is a named failpoint (src/core/base/failpoint.cpp) or a SIGKILL; afterwards the database and the live
feed are looked at. A stub speaks for Workers AI, so that a test decides what the model says and counts what it is
asked."""

import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
import bench
from bench import Folder, Live, Model, Peer, Server, created, deleted, png, wait_for

def large(content):
    """The same picture, too large to be kept as a row: its bytes are durable before the rows that name them."""
    return content + b"\0" * 100_000


LOST = (OSError, http.client.HTTPException)  # what a client sees of a server that died


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self.id().rsplit(".", 1)[1][:40])
        self.model = Model()
        self.open = []

    def tearDown(self):
        for server in self.open:
            server.end()
        self.model.gate.set()
        self.model.close()
        failed = self._outcome.result.errors or self._outcome.result.failures
        if not failed:
            self.folder.remove()

    def serve(self, point=None, **more):
        server = Server(self.folder.data, point, more.pop("model", self.model), **more)
        self.open.append(server)
        return server.__enter__()

    def cli(self, *arguments, code=0):
        done = subprocess.run([Server.program, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def cli_refusal(self, *arguments):
        done = subprocess.run([Server.program, *arguments], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def ended_runs(self):
        """The states of all runs, once none of them is under way."""
        runs = self.folder.rows("SELECT status FROM workflow_runs WHERE workflow_key = 'IMAGE_CLASSIFICATION'")
        return None if ("running",) in runs else runs

    def one_of_everything(self, name):
        """However it came about: one upload, one run, one result."""
        uploads = self.folder.rows("SELECT status, workflow_id FROM Upload WHERE name = ?", name)
        self.assertEqual(len(uploads), 1, uploads)
        self.assertEqual(uploads[0][0], "classified")
        # The result is committed by the last step, the end of the run a moment later.
        runs = wait_for(f"the run of {name} to end", lambda: self.ended_runs())
        self.assertEqual(runs, [("succeeded",)])
        files = self.folder.rows("SELECT count(*) FROM unified_files WHERE deleted_at IS NULL")
        self.assertEqual(files, [(1,)])

    def object_without_row(self, name, content):
        """An object that is stored and that no row tells of, as a bucket has it before its notification comes."""
        server = self.serve("upload.stored:1")
        with self.assertRaises(LOST):
            server.upload(name, large(content))
        server.process.wait()
        return f"default/{name}"


class Checklist(Case):
    def test_an_upload_becomes_a_row_a_run_and_a_label(self):
        server = self.serve()
        live = Live(server.port)
        self.assertEqual(live.next()["type"], "hello")

        status, answer = server.upload("photo.png", png(1))

        self.assertEqual(status, 202)
        upload = answer["uploads"][0]
        event = hashlib.sha256(f"default/photo.png:{upload['etag']}".encode()).hexdigest()
        self.assertEqual(upload["workflow_run_id"], "imgcls_" + event)
        row = server.await_upload("photo.png", "classified")
        self.assertEqual(row["classification_top_label"], "CORAL REEF")
        self.assertEqual(row["upload_event_id"], event)
        run = server.run(upload["workflow_run_id"])
        self.assertEqual([stage["stage_key"] for stage in run["stages"]],
                         ["load-image", "classify-image", "persist-classification"])
        types = [message["type"] for message in live.until("classification_updated")]
        self.assertIn("classification_workflow_started", types)
        live.close()

    def test_the_same_message_again_is_the_same_row_and_run(self):
        server = self.serve()
        _, answer = server.upload("photo.png", png(1))
        upload = answer["uploads"][0]
        server.await_upload("photo.png", "classified")

        for shape in ("r2", "s3", "r2"):
            status, told = server.call("POST", "/events/objects", created(upload["key"], upload["etag"], shape=shape))
            self.assertEqual((status, told["messages"][0]["status"]), (202, "waiting"))
        wait_for("messages", lambda: len(server.get("/api/inbox?status=done")["messages"]) == 3)

        self.one_of_everything("photo.png")
        self.assertEqual(sum(self.model.calls.values()), 1)

    def test_an_error_of_the_model_ends_as_classification_failed_and_a_retry_goes_on(self):
        self.model.answers = [(200, {"success": True, "result": []})] * 3
        server = self.serve(arguments=["--model-retry", "3s"])
        live = Live(server.port)
        _, answer = server.upload("photo.png", png(1))
        run_id = answer["uploads"][0]["workflow_run_id"]

        row = server.await_upload("photo.png", "classification_failed")
        self.assertTrue(row["classification_error"])
        live.until("classification_error")
        status, _ = server.call("POST", f"/api/runs/{run_id}/retry")

        self.assertEqual(status, 200)
        server.await_upload("photo.png", "classified")
        self.one_of_everything("photo.png")
        stages = {stage["stage_key"]: stage for stage in server.run(run_id)["stages"]}
        self.assertEqual(stages["load-image"]["attempt"], 1)
        live.close()

    def test_a_message_is_acknowledged_only_when_it_is_durable(self):
        for point in ("commit.before", "commit.after"):
            for hit in range(1, 6):
                with self.subTest(point=point, hit=hit):
                    self.folder = Folder("acknowledged")
                    answered = 0
                    with contextlib.suppress(*LOST, bench.Died):
                        server = self.serve(f"{point}:{hit}")
                        for number in range(6):
                            status, _ = server.call("POST", "/events/objects", created(f"default/{number}.png"))
                            answered += status == 202
                    self.open[-1].end()

                    again = self.serve()
                    self.assertGreaterEqual(len(again.get("/api/inbox")["messages"]), answered)
                    again.end()
                    self.folder.remove()


class FailureMatrix(Case):
    def test_row_1_a_crash_before_the_ingest_leaves_the_message_for_the_next_start(self):
        content = png(1)
        key = self.object_without_row("photo.png", content)
        server = self.serve("inbox.claimed:1")
        with contextlib.suppress(*LOST):
            server.call("POST", "/events/objects", created(key))
        server.process.wait()
        self.assertEqual(self.folder.rows("SELECT status FROM object_inbox"), [("waiting",)])
        self.assertEqual(self.folder.rows("SELECT count(*) FROM Upload"), [(0,)])

        again = self.serve()

        again.await_upload("photo.png", "classified")
        self.one_of_everything("photo.png")
        self.assertEqual(self.folder.rows("SELECT status FROM object_inbox"), [("done",)])

    def test_row_1_a_sender_that_got_no_answer_sends_again_and_nothing_happens_twice(self):
        key = self.object_without_row("photo.png", png(1))
        server = self.serve("inbox.received:1")
        with self.assertRaises(LOST):
            server.call("POST", "/events/objects", created(key))
        server.process.wait()

        again = self.serve()
        again.call("POST", "/events/objects", created(key))

        again.await_upload("photo.png", "classified")
        wait_for("both messages", lambda: len(again.get("/api/inbox?status=done")["messages"]) == 2)
        self.one_of_everything("photo.png")

    def test_rows_2_and_3_a_crash_around_any_commit_of_an_upload_is_one_run_in_the_end(self):
        """Row and run are one commit here: there is no moment between them to die in."""
        for point in ("commit.before", "commit.after"):
            for hit in range(1, 7):
                with self.subTest(point=point, hit=hit):
                    self.folder = Folder("matrix")
                    answered = None
                    try:
                        server = self.serve(f"{point}:{hit}")
                        answered, _ = server.upload("photo.png", png(1))
                        wait_for("its death or the end", lambda: server.died() or any(
                            row["status"] == "classified" for row in server.uploads()))
                    except (*LOST, bench.Died, AssertionError):
                        pass
                    self.open[-1].end()

                    again = self.serve()
                    if answered == 202:
                        self.assertEqual(len(again.uploads()), 1, "what was answered is there")
                    again.upload("photo.png", png(1))
                    again.await_upload("photo.png", "classified")
                    self.one_of_everything("photo.png")
                    again.end()
                    self.folder.remove()

    def test_a_crash_between_the_object_and_its_row_is_mended_by_the_next_upload(self):
        for point, content in ((point, content) for point in ("upload.stored:1", "upload.after:1")
                               for content in (png(1), large(png(1)))):
            with self.subTest(point=point, size=len(content)):
                self.folder = Folder("stored")
                server = self.serve(point)
                with self.assertRaises(LOST):
                    server.upload("photo.png", content)
                server.process.wait()

                again = self.serve()
                again.upload("photo.png", content)
                again.await_upload("photo.png", "classified")
                self.one_of_everything("photo.png")
                again.end()
                self.folder.remove()

    def test_row_3_a_crash_after_the_run_is_durable_and_before_anyone_knows(self):
        key = self.object_without_row("photo.png", png(1))
        server = self.serve("inbox.handled:1")
        with contextlib.suppress(*LOST):
            server.call("POST", "/events/objects", created(key))
        server.process.wait()

        again = self.serve()
        again.call("POST", "/events/objects", created(key))

        again.await_upload("photo.png", "classified")
        self.one_of_everything("photo.png")

    def test_row_3_a_watched_file_is_taken_once_wherever_the_server_dies(self):
        for point in (None, "upload.stored:1", "watch.taken:1"):
            with self.subTest(point=point):
                self.folder = Folder("watched")
                scans = os.path.join(self.folder.root, "scans")
                os.makedirs(scans)
                watch = ("--watch", scans, "--watch-type", "image")
                server = self.serve(point, arguments=watch)
                with open(os.path.join(scans, "scan.png"), "wb") as file:
                    file.write(png(1)[:20])
                    file.flush()
                    time.sleep(4)  # a slow scanner
                    self.assertEqual(os.listdir(scans), ["scan.png"], "it is still being written")
                    file.write(png(1)[20:])
                if point:
                    server.process.wait(60)
                    self.assertEqual(os.listdir(scans), ["scan.png"])
                    server = self.serve(arguments=watch)
                with open(os.path.join(scans, "notes.txt"), "w") as file:
                    file.write("no picture")

                wait_for("both are moved", lambda: sorted(os.listdir(scans)) == ["done", "refused"])

                server.await_upload("scan.png", "classified")
                self.one_of_everything("scan.png")
                self.assertEqual(os.listdir(os.path.join(scans, "done")), ["scan.png"])
                with open(os.path.join(scans, "refused", "notes.txt.reason.txt")) as reason:
                    self.assertIn("text/plain", reason.read())
                server.end()
                self.folder.remove()

    def test_row_4_twenty_deliveries_at_once_are_one_run(self):
        server = self.serve()
        _, answer = server.upload("photo.png", png(1))
        upload = answer["uploads"][0]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            told = [pool.submit(server.call, "POST", "/events/objects", created(upload["key"], upload["etag"]))
                    for _ in range(20)]
            self.assertEqual({future.result()[0] for future in told}, {202})

        wait_for("messages", lambda: len(server.get("/api/inbox?status=done")["messages"]) == 20)
        server.await_upload("photo.png", "classified")
        self.one_of_everything("photo.png")
        self.assertEqual(sum(self.model.calls.values()), 1)

    def test_row_5_a_run_that_is_killed_in_a_step_goes_on_there(self):
        server = self.serve()
        self.model.gate.clear()
        _, answer = server.upload("photo.png", png(1))
        wait_for("the model is asked", lambda: sum(self.model.calls.values()) == 1)
        server.kill()
        self.model.gate.set()

        again = self.serve()

        again.await_upload("photo.png", "classified")
        self.one_of_everything("photo.png")
        self.assertEqual(sum(self.model.calls.values()), 2, "the step under way runs again, and no other")
        stages = again.run(answer["uploads"][0]["workflow_run_id"])["stages"]
        self.assertEqual([stage["status"] for stage in stages], ["succeeded"] * 3)

    def test_row_6_a_model_that_is_down_for_a_moment_is_asked_again(self):
        self.model.answers = [(500, {"success": False}), (429, {"success": False}, [("Retry-After", "1")])]
        server = self.serve()

        _, answer = server.upload("photo.png", png(1))

        server.await_upload("photo.png", "classified")
        self.assertEqual(sum(self.model.calls.values()), 3)
        stage = [s for s in server.run(answer["uploads"][0]["workflow_run_id"])["stages"]
                 if s["stage_key"] == "classify-image"][0]
        self.assertEqual(stage["attempt"], 3)
        self.assertEqual(len(stage["failed_attempts"]), 2)

    def test_a_crash_at_every_point_of_the_engine_ends_in_one_result(self):
        for point in ("submit.before", "claim.after", "step.before", "step.after", "loop.resume", "end.before"):
            with self.subTest(point=point):
                self.folder = Folder("point")
                try:
                    server = self.serve(f"{point}:1")
                    server.upload("photo.png", png(1))
                    wait_for("its death", lambda: server.died() or server.uploads()[0]["status"] == "classified", 20)
                except (*LOST, bench.Died, AssertionError, IndexError):
                    pass
                self.open[-1].end()
                again = self.serve()
                again.upload("photo.png", png(1))
                again.await_upload("photo.png", "classified")
                self.one_of_everything("photo.png")
                again.end()
                self.folder.remove()


class Events(Case):
    def test_a_delete_takes_the_upload_away_and_a_late_created_does_not_bring_it_back(self):
        server = self.serve()
        _, answer = server.upload("photo.png", png(1))
        key = answer["uploads"][0]["key"]
        server.await_upload("photo.png", "classified")

        server.call("POST", "/events/objects", deleted(key, "2099-01-01T00:00:02.000Z"))
        wait_for("the delete", lambda: server.uploads() == [])
        server.call("POST", "/events/objects", created(key, "", "2099-01-01T00:00:01.000Z"))
        wait_for("the late one", lambda: server.get("/api/inbox?status=ignored")["messages"])
        self.assertEqual(server.uploads(), [])

        server.call("POST", "/events/objects", created(key, "", "2099-01-01T00:00:03.000Z"))
        row = server.await_upload("photo.png", "classified")
        self.assertTrue(row["workflow_run_id"].endswith("_g2"))

    def test_what_cannot_be_understood_is_kept_and_told(self):
        server = self.serve()
        status, answer = server.call("POST", "/events/objects", "{oops")
        self.assertEqual((status, answer["messages"][0]["status"]), (202, "invalid"))
        listed = json.loads(self.cli("inbox", "list", "--json", "--server", f"http://127.0.0.1:{server.port}"))
        self.assertEqual(listed["messages"][0]["reason"], "the body is not JSON")

    def test_a_message_without_its_object_is_set_aside_and_retried_by_hand(self):
        server = self.serve()
        server.call("POST", "/events/objects", created("default/late.png"))
        message = wait_for("the dead letter", lambda: server.get("/api/inbox?status=dead")["messages"])[0]
        self.assertIn("there is no object", message["reason"])
        self.assertEqual(message["attempts"], 5)

        self.cli("inbox", "retry", message["id"], "--data", self.folder.data)
        wait_for("the retry", lambda: server.get("/api/inbox/" + message["id"])["attempts"] < 5)
        self.cli("inbox", "drop", message["id"], "--server", f"http://127.0.0.1:{server.port}")
        self.assertEqual(server.get("/api/inbox/" + message["id"])["status"], "dropped")


class Torture(Case):
    def test_every_upload_that_was_answered_survives_a_server_that_is_killed_again_and_again(self):
        count = int(os.environ.get("BELAY_E2E_UPLOADS", "60"))
        accepted, lock = set(), threading.Lock()
        server = [self.serve()]
        over = threading.Event()

        def send(number):
            for _ in range(200):
                if over.is_set():
                    return
                try:
                    picture = large(png(number)) if number % 3 == 0 else png(number)
                    status, _ = server[0].upload(f"photo-{number}.png", picture)
                    if status == 202:
                        with lock:
                            accepted.add(number)
                        return
                except LOST:
                    time.sleep(0.05)
            raise AssertionError(f"upload {number} never came through")

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            sent = [pool.submit(send, number) for number in range(count)]
            luck = random.Random(7)
            for _ in range(6):
                time.sleep(luck.uniform(0.05, 0.4))
                server[0].kill()
                server[0] = self.serve()
            try:
                for future in sent:
                    future.result()
            finally:
                over.set()

        wait_for("all of them", lambda: sum(row["status"] == "classified" for row in server[0].uploads()) == count)
        names = [row["name"] for row in server[0].uploads()]
        self.assertEqual(sorted(names), sorted(f"photo-{number}.png" for number in range(count)))
        self.assertEqual(len(accepted), count)
        runs = self.folder.rows("SELECT count(*), count(DISTINCT public_id) FROM workflow_runs")
        self.assertEqual(runs, [(count, count)])

    def test_hostile_files_in_twenty_uploads_at_once_fail_alone(self):
        helper = os.path.join(os.path.dirname(Server.program), "belay-media")
        if not os.path.exists(helper):
            self.skipTest("belay-media is not built")
        server = self.serve(model=None)
        whole = png(1)
        bomb = bytearray(whole)
        bomb[16:24] = (0x7FFFFFFF).to_bytes(4, "big") * 2
        hostile = [whole[:40], bytes(bomb), b"\x89PNG\r\n\x1a\n" + os.urandom(5000), b"\xff\xd8\xff" + os.urandom(9000),
                   b"GIF89a" + b"\xff\xff\xff\xff" + os.urandom(100), b"RIFF\xff\xff\xff\xffWEBPVP8 " + os.urandom(64)]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            sent = [pool.submit(server.upload, f"bad-{i}.png", hostile[i % len(hostile)] + bytes([i])) for i in range(40)]
            self.assertEqual({future.result()[0] for future in sent}, {202})

        wait_for("their ends", lambda: all(row["status"] == "classification_failed" for row in server.uploads()), 240)
        self.assertTrue(all(row["classification_error"] for row in server.uploads()))
        self.assertEqual(server.call("GET", "/readyz")[0], 200)

    def test_a_large_upload_takes_no_more_memory_than_a_small_one(self):
        size = int(os.environ.get("BELAY_E2E_LARGE", str(64 << 20)))
        server = self.serve()
        server.upload("small.png", png(1))
        before = server.rss_kib()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        head = (b"--x\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\nimage\r\n--x\r\n"
                b"Content-Disposition: form-data; name=\"files\"; filename=\"big.png\"\r\n\r\n") + png(2)
        tail = b"\r\n--x--\r\n"
        connection.putrequest("POST", "/ingest/upload")
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.putheader("Content-Length", str(len(head) + size + len(tail)))
        connection.endheaders()
        connection.send(head)
        most, piece = 0, b"\0" * (1 << 20)
        for _ in range(size >> 20):
            connection.send(piece)
            most = max(most, server.rss_kib())
        connection.send(tail)
        response = connection.getresponse()
        self.assertEqual(response.status, 202, response.read())
        self.assertLess(most - before, 24 * 1024, "KiB more while it came in")


class Surfaces(Case):
    def test_ingest_works_on_a_folder_on_a_server_and_on_the_folder_of_a_server(self):
        pictures = os.path.join(self.folder.root, "pictures", "deep")
        os.makedirs(pictures)
        for i in range(3):
            with open(os.path.join(pictures, f"{i}.png"), "wb") as file:
                file.write(png(i))
        server = self.serve()
        url = f"http://127.0.0.1:{server.port}"

        over_http = self.cli("ingest", os.path.dirname(pictures), "--type", "image", "--wait", "--json", "--server", url)
        lines = [json.loads(line) for line in over_http.splitlines()]
        self.assertEqual([line["status"] for line in lines], ["succeeded"] * 3)
        self.assertEqual(lines[0]["result"]["labels"][0]["label"], "CORAL REEF")
        self.assertEqual([os.path.basename(line["file"]) for line in lines], ["0.png", "1.png", "2.png"])

        beside = self.cli("ingest", os.path.join(pictures, "*.png"), "--type", "image", "--wait", "--data", self.folder.data)
        self.assertIn("CORAL REEF (90%)", beside)
        self.assertEqual(len(server.uploads()), 3, "the same files again are the same files")
        listed = json.loads(self.cli("runs", "list", "--json", "--server", url))
        self.assertEqual(len(listed["runs"]), 3)
        self.assertIn("succeeded", self.cli("runs", "show", listed["runs"][0]["id"], "--server", url))
        self.cli("runs", "why", listed["runs"][0]["id"], "--server", url)
        self.cli("ingest", os.path.join(pictures, "none.png"), "--server", url, code=1)

    def test_runs_are_followed_exported_forked_and_sent_to_over_a_server(self):
        server = self.serve()
        url = ("--server", f"http://127.0.0.1:{server.port}")
        self.model.gate.clear()
        server.upload("reef.png", png(7))
        run = wait_for("the run", lambda: json.loads(self.cli("runs", "list", "--json", *url))["runs"])[0]["id"]
        follows = subprocess.Popen([Server.program, "runs", "tail", run, *url], stdout=subprocess.PIPE, text=True)
        first = follows.stdout.readline()
        self.model.gate.set()
        told, _ = follows.communicate(timeout=60)
        self.assertEqual(follows.returncode, 0, first + told)
        self.assertIn("succeeded", told)

        exported = os.path.join(self.folder.root, "run.json")
        self.cli("runs", "export", run, "--output", exported, *url)
        with open(exported) as file:
            over_http = json.load(file)
        self.assertEqual(over_http, json.loads(self.cli("runs", "export", run, "--data", self.folder.data)))

        asked = self.model.calls.total()
        stage = server.run(run)["stages"][-1]["path"]
        forked = json.loads(self.cli("runs", "fork", run, "--from", stage, "--json", *url))
        self.assertEqual(forked["forked_from"], run)
        self.assertEqual(server.await_status(forked["id"], "succeeded")["result"], server.run(run)["result"])
        self.assertEqual(self.model.calls.total(), asked, "what was recorded before that step is not asked for again")

        _, approval = server.call("POST", "/api/approvals", {"title": "Pay invoice 12?"})
        server.await_status(approval["id"], "waiting")
        for _ in range(2):  # the same key is the same message
            self.cli("runs", "send", approval["id"], "remark", '"seen"', "--key", "once", *url)
        sent = json.loads(self.cli("runs", "messages", approval["id"], "--json", "--data", self.folder.data))
        self.assertEqual([one["topic"] for one in sent["messages"]], ["remark"])
        self.assertIn("there is no run", self.cli_refusal("runs", "tail", "nobody", *url))

    def test_an_approval_survives_a_kill_and_is_answered_once(self):
        server = self.serve()
        live = Live(server.port)
        _, asked = server.call("POST", "/api/approvals", {"title": "Pay invoice 12?"})
        live.until("approval_requested")
        server.await_status(asked["id"], "waiting")
        server.kill()

        again = self.serve()
        pending = json.loads(self.cli("approvals", "list", "--status", "pending", "--json", "--data", self.folder.data))
        self.assertEqual(pending["approvals"][0]["title"], "Pay invoice 12?")
        self.cli("approvals", "reject", asked["id"], "--comment", "too much", "--data", self.folder.data)

        run = again.await_status(asked["id"], "succeeded")
        self.assertEqual(run["result"], {"decision": "rejected", "approved": False, "comment": "too much"})
        self.assertEqual(again.call("POST", f"/api/approvals/{asked['id']}/approve", {})[0], 409)

    def test_a_webhook_is_told_of_every_end_with_a_signature(self):
        answers = [(500, {}), (204, b"")]
        hook = Peer(lambda body, headers: answers.pop(0) if answers else (204, b""))
        server = self.serve(arguments=["--webhook-url", hook.url + "/hook"],
                            environment={"BELAY_WEBHOOK_SECRET": "a secret of many characters"})
        _, answer = server.upload("photo.png", png(1))
        wait_for("the second try", lambda: len(hook.requests) >= 2)
        for _, headers, body in hook.requests:
            told = json.loads(body)
            self.assertEqual(told["workflow_run_id"], answer["uploads"][0]["workflow_run_id"])
            stamp, sign = (part.split("=", 1)[1] for part in headers["Belay-Signature"].split(","))
            right = hmac.new(b"a secret of many characters", stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
            self.assertEqual(sign, right)
        self.assertEqual(hook.requests[0][1]["Belay-Delivery"], hook.requests[1][1]["Belay-Delivery"])
        hook.close()

    def test_a_backup_made_while_uploads_come_in_is_a_whole_server_again(self):
        server = self.serve()
        over = threading.Event()
        sent = []

        def keep_sending():
            number = 0
            while not over.is_set():
                server.upload(f"photo-{number}.png", png(number) + b"\0" * 100_000)
                sent.append(number)
                number += 1

        thread = threading.Thread(target=keep_sending)
        thread.start()
        try:
            wait_for("some uploads", lambda: len(sent) >= 5)
            backup = os.path.join(self.folder.root, "backup")
            report = json.loads(self.cli("backup", backup, "--json", "--data", self.folder.data))
            at_least = 5
        finally:
            over.set()
            thread.join()
        self.assertEqual(report["missing"], [])
        server.stop()

        restored = os.path.join(self.folder.root, "restored")
        self.cli("restore", backup, "--data", restored)
        self.cli("restore", backup, "--data", restored, code=2)
        other = Server(restored, None, self.model)
        self.open.append(other)
        rows = other.__enter__().uploads()
        self.assertGreaterEqual(len(rows), at_least)
        for row in rows:
            connection = http.client.HTTPConnection("127.0.0.1", other.port, timeout=60)
            connection.request("GET", f"/api/files/{row['file_id']}/content")
            content = connection.getresponse().read()
            number = int(row["name"].split("-")[1].split(".")[0])
            self.assertEqual(content, png(number) + b"\0" * 100_000)
            connection.close()
        wait_for("what was under way", lambda: all(row["status"] == "classified" for row in other.uploads()))

    def test_a_watcher_that_comes_back_misses_nothing(self):
        server = self.serve()
        first = Live(server.port)
        server.upload("a.png", png(1))
        seen = first.until("classification_updated")
        first.close()
        server.upload("b.png", png(2))
        server.await_upload("b.png", "classified")

        back = Live(server.port, after=seen[-1]["id"])
        after = back.until("classification_updated")

        self.assertTrue(all(message["id"] > seen[-1]["id"] for message in after if message["type"] != "hello"))
        self.assertEqual(after[-1]["data"]["name"], "b.png")
        back.close()


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
