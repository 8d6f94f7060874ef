// embed.mjs DIST OUT [/FOLDER=DIST…] — writes OUT/table.cpp: every file of DIST, and its gzip form, as bytes of the program;
// those of other folders under the path that stands before them.
//
// The assembler reads the bytes (.incbin): a megabyte written as numbers would cost the compiler seconds.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const [, , dist, out, ...others] = process.argv;
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

function filesOf(folder, under = "") {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? filesOf(folder, `${under}/${one.name}`) : [`${under}/${one.name}`],
  );
}

rmSync(join(out, "gzip"), { recursive: true, force: true });
mkdirSync(join(out, "gzip"), { recursive: true });
const blobs = [];
const rows = [];
let externs = "";
function blob(path) {
  const name = `belay_page_${blobs.length}`;
  blobs.push(`    ".globl ${name}\\n${name}:\\n.incbin \\"${path}\\"\\n.byte 0\\n"`);
  externs += `extern const char ${name}[];\n`;
  return name;
}

const places = new Map(filesOf(dist).map((path) => [path, join(dist, path)]));
for (const other of others) {
  const [under, folder] = other.split("=");
  for (const path of filesOf(folder)) places.set(under + path, join(folder, path));
}

for (const path of [...places.keys()].sort()) {
  const from = places.get(path);
  const type = types[extname(path)];
  if (!type) throw new Error(`embed: no content type is known for ${path}`);
  const bytes = readFileSync(from);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const gzip = gzipSync(bytes, { level: 9 });
  const plain = blob(from);
  let packed = "{}";
  if (type.includes("charset") && gzip.length < bytes.length) {
    const place = join(out, "gzip", `${rows.length}-${hash}.gz`);
    writeFileSync(place, gzip);
    packed = `{${blob(place)}, ${gzip.length}}`;
  }
  const immutable = path.startsWith("/assets/");
  rows.push(`    {"${path}", {{${plain}, ${bytes.length}}, ${packed}, "${type}", "${hash}", ${immutable}}},`);
}
writeFileSync(
  join(out, "table.cpp"),
  `// Made by web/tools/embed.mjs.\n#include "service/page/page.hpp"\n\n` +
    `__asm__(\n    ".section .rodata\\n"\n${blobs.join("\n")}\n    ".text\\n");\n\n` +
    `extern "C" {\n${externs}}\n\nnamespace belay::page {\n\n` +
    `std::span<const PageFile> table() {\n    static const PageFile kFiles[] = {\n${rows.map((row) => `    ${row}`).join("\n")}\n    };\n    return kFiles;\n}\n\n}  // namespace belay::page\n`,
);
