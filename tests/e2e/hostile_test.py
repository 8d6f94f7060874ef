#!/usr/bin/env python3
"""hostile_test.py — P10 on a real server: files that are made to crash, stall or fill whoever opens them.

    tests/e2e/hostile_test.py build/dev/belay [-k NAME]

Bombs made here, and the files of BELAY_DATA/hostile_img and hostile_pdf if they are there (../shared/data otherwise): each
alone, then twenty at once. Every one ends with a reason, within ten seconds and half a gibibyte for each process."""

import concurrent.futures
import glob
import os
import re
import struct
import sys
import threading
import time
import unittest
import zlib

sys.dont_write_bytecode = True
from bench import Folder, Server, png, wait_for

SECONDS_MAX = 10  # on a machine that has nothing else to do
MEMORY_MAX = 1024 * int(re.search(r"kJobMemoryBytes = (\d+)u << 20", open(os.path.join(
    os.path.dirname(__file__), "../../src/ingestion/isolate/job.hpp")).read()).group(1))  # KiB


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width, height, pixels, *more, depth=8, kind=2):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)) +
            b"".join(more) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def packed(size):
    """So many zeros, packed."""
    packer = zlib.compressobj(9)
    piece = b"\0" * (1 << 20)
    return b"".join(packer.compress(piece) for _ in range(size >> 20)) + packer.flush()


def pdf_of(*objects, root=1):
    out, places = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + (body if isinstance(body, bytes) else body.encode()) + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)


def stream(data, more="/Filter /FlateDecode"):
    return b"<< /Length %d %s >>\nstream\n" % (len(data), more.encode()) + data + b"\nendstream"


def bombs():
    """(name, bytes, workflow type)"""
    zeros = packed(64 << 20)
    catalog = "<< /Type /Catalog /Pages 2 0 R >>"
    one_page = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << {} >> >>"
    pictures = [
        ("wide.png", png_of(0x7FFFFFFF, 0x7FFFFFFF, zlib.compress(b"\0" * 100))),
        ("large.png", png_of(30_000, 30_000, zeros)),
        ("pixels.png", png_of(20_000, 20_000, packed(50 << 20), depth=1, kind=0)),
        ("text.png", png_of(8, 8, zlib.compress(b"\0" * 200), chunk(b"zTXt", b"a\0\0" + zeros))),
        ("profile.png", png_of(8, 8, zlib.compress(b"\0" * 200), chunk(b"iCCP", b"a\0\0" + zeros))),
        ("endless.png", png_of(8, 8, zeros)),
        ("cut.png", png(1)[:40]),
        ("noise.png", b"\x89PNG\r\n\x1a\n" + os.urandom(5_000)),
        ("chunks.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) +
         chunk(b"tEXt", b"a\0b") * 50_000),
        ("large.gif", b"GIF89a\xff\xff\xff\xff\x80\0\0" + b"\0" * 6 + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;"),
        ("frames.gif", b"GIF89a\x10\0\x10\0\x80\0\0" + b"\0" * 6 + b",\0\0\0\0\x10\0\x10\0\0\x02\x02\x4c\x01\0" * 50_000 + b";"),
        ("large.jpg", b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x22\0\x02\x11\x01\x03\x11\x01" +
         b"\xff\xda\0\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0" + b"\0" * 1000),
        ("markers.jpg", b"\xff\xd8" + b"\xff\xe1\0\x08Exif\0\0" * 20_000 + b"\xff\xd9"),
        ("noise.jpg", b"\xff\xd8\xff\xe0" + os.urandom(9_000)),
        ("canvas.webp", b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\xff\xff\xff\xff\xff\xff" + b"\0" * 8),
        ("noise.webp", b"RIFF\xff\xff\xff\xffWEBPVP8 " + os.urandom(64)),
    ]
    papers = [
        ("stream.pdf", pdf_of(catalog, one_page, page.format(""), stream(zeros))),
        ("twice.pdf", pdf_of(catalog, one_page, page.format(""),
                             stream(zlib.compress(zeros), "/Filter [/FlateDecode /FlateDecode]"))),
        ("sheet.pdf", pdf_of(catalog, one_page, page.format("").replace("595 842", "2000000000 2000000000"), stream(b"", ""))),
        ("pages.pdf", pdf_of(catalog, "<< /Type /Pages /Kids [" + "3 0 R " * 20_000 + "] /Count 20000 >>", page.format(""),
                             stream(b"", ""))),
        ("circle.pdf", pdf_of(catalog, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>")),
        ("deep.pdf", pdf_of(catalog, "[" * 100_000)),
        ("image.pdf", pdf_of(catalog, one_page, page.format("/XObject << /I 5 0 R >>"),
                             stream(b"595 0 0 842 0 0 cm /I Do", ""),
                             stream(zeros, "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 "
                                    "/ColorSpace /DeviceRGB /Filter /FlateDecode"))),
        ("forms.pdf", pdf_of(catalog, one_page, page.format("/XObject << /F 5 0 R >>"), stream(b"/F Do " * 100, ""),
                             stream(b"/F Do " * 100, "/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
                                    "/Resources << /XObject << /F 5 0 R >> >>"))),
        ("noise.pdf", b"%PDF-1.7\n" + os.urandom(20_000)),
        ("empty.pdf", b"%PDF-1.4\n"),
    ]
    root = (b"<?xml version='1.0'?><Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2' "
            b"xmlns:c='urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2'")
    laughs = b"<!ENTITY a0 'ha'>" + b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    doctype = root.replace(b"<Invoice", b"<!DOCTYPE Invoice [%s]><Invoice")
    carrying = lambda data, more="/Filter /FlateDecode": pdf_of(
        "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(factur-x.xml) 5 0 R] >> >> >>", one_page,
        page.format(""), stream(b"", ""), "<< /Type /Filespec /F (factur-x.xml) /EF << /F 6 0 R >> >>",
        stream(data, "/Type /EmbeddedFile /Subtype /text#2Fxml " + more))
    invoices = [
        ("laughs.xml", doctype % laughs + b"><c:ID>&a11;</c:ID></Invoice>"),
        ("outside.xml", doctype % b"<!ENTITY x SYSTEM 'file:///etc/passwd'>" + b"><c:ID>&x;</c:ID></Invoice>"),
        ("deep.xml", root + b">" + b"<c:a>" * 1_000_000),
        ("many.xml", root + b">" + b"<c:a/>" * 4_000_000 + b"</Invoice>"),
        ("attributes.xml", root + b"".join(b" a%d=''" % n for n in range(300_000)) + b"/>"),
        ("namespaces.xml", root + b">" + b"".join(b"<c:a xmlns:n%d='u'>" % n for n in range(60)) * 1000),
        ("comment.xml", root + b"><!--" + b"-" * (20 << 20)),
        ("text.xml", root + b"><c:ID>" + b"x" * (31 << 20) + b"</c:ID></Invoice>"),
        ("large.xml", root + b">" + b" " * (33 << 20) + b"</Invoice>"),
        ("references.xml", root + b"><c:ID>" + b"&amp;" * 3_000_000 + b"</c:ID></Invoice>"),
        ("wide.xml", (root + b"><c:ID>1</c:ID>").decode().encode("utf-16") * 1000),
        ("noise.xml", root + os.urandom(100_000)),
        ("carried-zeros.pdf", carrying(zeros)),
        ("carried-twice.pdf", carrying(zlib.compress(packed(512 << 20)), "/Filter [/FlateDecode /FlateDecode]")),
        ("carried-laughs.pdf", carrying(zlib.compress(doctype % laughs + b"><c:ID>&a11;</c:ID></Invoice>"))),
    ]
    return [(name, data, "image") for name, data in pictures] + [(name, data, "invoice") for name, data in papers + invoices]


def given():
    """Files of others that are there."""
    here = os.path.dirname(os.path.abspath(__file__))
    data = os.environ.get("BELAY_DATA", os.path.join(here, "..", "..", "..", "shared", "data"))
    found = []
    for folder, kind in (("hostile_img", "image"), ("hostile_pdf", "invoice")):
        for path in sorted(glob.glob(os.path.join(data, folder, "*"))):
            with open(path, "rb") as file:
                found.append((os.path.basename(path), file.read(), kind))
    return found


class Watch:
    """The largest process under the server's, and the server itself."""

    def __init__(self, pid):
        self.pid = pid
        self.most = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        while not self.over.wait(0.05):
            parents = {}
            for entry in os.listdir("/proc"):
                if entry.isdigit():
                    try:
                        with open(f"/proc/{entry}/stat") as stat:
                            parents[int(entry)] = int(stat.read().rsplit(")", 1)[1].split()[1])
                    except OSError:
                        pass
            for pid in parents:
                above = pid
                while above in parents and above != self.pid:
                    above = parents[above]
                if above != self.pid:
                    continue
                try:
                    with open(f"/proc/{pid}/statm") as sizes:
                        fields = sizes.read().split()
                    self.most = max(self.most, (int(fields[1]) - int(fields[2])) * 4)  # KiB, without what is shared
                except (OSError, IndexError):
                    pass

    def end(self):
        self.over.set()
        self.thread.join()
        return self.most


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        helper = os.path.join(os.path.dirname(Server.program), "belay-media")
        if not os.path.exists(helper):
            raise unittest.SkipTest("belay-media is not built")
        cls.folder = Folder("hostile")
        cls.server = Server(cls.folder.data).__enter__()
        cls.files = bombs() + given()

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.folder.remove()

    def throw(self, name, data, kind):
        """What became of it: how it ended, why, after how long."""
        began = time.monotonic()
        status, answer = self.server.upload(name, data, kind)
        if answer.get("errors"):
            self.assertIn(status, (400, 415), (name, answer))
            return "refused", answer["errors"][0]["error"], time.monotonic() - began
        self.assertEqual(status, 202, (name, answer))
        run = wait_for(f"the end of {name}", lambda: self.ended(answer["uploads"][0]["workflow_run_id"]), 300)
        return run["status"], run["error"], time.monotonic() - began

    def ended(self, run_id):
        run = self.server.run(run_id)
        return run if run["status"] in ("succeeded", "failed") else None

    def reason_is_clear(self, name, status, reason):
        if status != "succeeded":  # some are only strange
            self.assertTrue(reason, name)
            self.assertLess(len(reason), 2_000, name)
            for leak in ("terminate called", "std::", self.folder.root, "Segmentation"):
                self.assertNotIn(leak, reason, name)

    def test_1_each_alone(self):
        idle = os.getloadavg()[0] < 2
        slowest, worst = (0, ""), (0, "")
        for name, data, kind in self.files:
            with self.subTest(name=name):
                watch = Watch(self.server.process.pid)
                status, reason, took = self.throw(name, data, kind)
                most = watch.end()
                slowest, worst = max(slowest, (took, name)), max(worst, (most, name))
                self.reason_is_clear(name, status, reason)
                self.assertLess(most, MEMORY_MAX, name)
                if idle:
                    self.assertLess(took, SECONDS_MAX, name)
        self.assertEqual(self.server.call("GET", "/readyz")[0], 200)
        print(f"\n{len(self.files)} files; slowest {slowest[0]:.1f} s ({slowest[1]}), "
              f"largest {worst[0] / 1024:.0f} MiB ({worst[1]})", file=sys.stderr)

    def test_2_twenty_at_once(self):
        watch = Watch(self.server.process.pid)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            # Other bytes at the end: none of them is known yet.
            ends = list(pool.map(lambda one: (one[0], *self.throw("again-" + one[0], one[1] + b"\n%again\n", one[2])),
                                 self.files))
        for name, status, reason, _ in ends:
            self.reason_is_clear(name, status, reason)
        self.assertLess(watch.end(), MEMORY_MAX)
        self.assertFalse(self.server.died())
        # Who comes with a good file is served as ever.
        self.assertEqual(self.throw("good.png", png(5), "image")[0], "succeeded")


if __name__ == "__main__":
    Server.program = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
