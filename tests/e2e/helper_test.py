#!/usr/bin/env python3
"""helper_test.py — one organization's heavy papers keep nobody else waiting: the real server, the real helper.

    tests/e2e/helper_test.py build/dev/belay

Twelve PDFs of 72 KB, each noise that is read until its time is over; then another organization's picture, and a picture
of a page for somebody who waits to see it. Both must be there while most of the papers have not even begun."""

import json
import os
import random
import subprocess
import sys
import time
import unittest
import zlib

sys.dont_write_bytecode = True
from bench import Folder, Server, png, wait_for
from organizations_test import Who

PAPERS = 12
SECONDS_MAX = 20  # for a picture, on a busy machine; it was beyond 90


def noise(seed, strokes=6_000):
    """A sheet full of marks as small as letters, that mean nothing."""
    chance = random.Random(seed)
    drawing = []
    for _ in range(strokes):
        x, y = chance.randrange(20, 570), chance.randrange(20, 820)
        drawing.append(f"{x} {y} m {x + chance.randrange(-4, 5)} {y + chance.randrange(-6, 7)} l S")
    stream = zlib.compress("\n".join(drawing).encode(), 9)
    return (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
            b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>endobj\n4 0 obj<</Length "
            + str(len(stream)).encode() + b"/Filter/FlateDecode>>stream\n" + stream
            + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%" + str(seed).encode())


class Helper(unittest.TestCase):
    def test_a_picture_does_not_wait_for_another_organizations_papers(self):
        folder = Folder("helper")
        with Server(folder.data) as server:
            def token(organization):
                made = subprocess.run([Server.program, "tokens", "create", "--organization", organization, "--name", "t",
                                       "--json", "--data", folder.data], capture_output=True, text=True, timeout=60)
                return json.loads(made.stdout)["token"]

            heavy, other = Who(server, token("heavy")), Who(server, token("other"))
            papers = [heavy.upload(f"{i}.pdf", noise(i), "invoice") for i in range(PAPERS)]
            wait_for("the first pages are read", lambda: [
                paper for paper in papers if heavy.get(f"/api/files/{paper['file_id']}/pages")["pages"]
                or heavy.get(f"/api/runs/{paper['workflow_run_id']}")["status"] == "running"])
            time.sleep(3)  # the helper starts, and its places are taken

            def over(who, run):
                return who.get(f"/api/runs/{run['workflow_run_id']}")["status"] not in ("queued", "running", "waiting")

            begun = time.monotonic()
            picture = other.upload("small.png", png(5), "image")
            wait_for("the picture", lambda: over(other, picture))
            took = time.monotonic() - begun
            begun = time.monotonic()
            status, _ = heavy.ask("GET", f"/api/files/{papers[0]['file_id']}/pages/1?side=320")
            looked = time.monotonic() - begun
            left = sum(not over(heavy, paper) for paper in papers)
            print(f"\na picture of another organization: {took:.1f} s; a picture of a page: {looked:.1f} s; "
                  f"{left} of {PAPERS} papers are not over", file=sys.stderr)
            self.assertEqual(status, 200)
            self.assertGreater(left, PAPERS // 2, "the papers are too light to show anything")
            self.assertLess(took, SECONDS_MAX)
            self.assertLess(looked, SECONDS_MAX)
            for who in (heavy, other):
                who.connection.close()
        folder.remove()


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
