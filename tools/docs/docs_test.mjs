// docs_test.mjs — the site is whole, and what would make it wrong is refused. Run by ctest: node --test tools/docs/docs_test.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { namesOf, readHeader } from "./headers.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const work = mkdtempSync(join(tmpdir(), "belay-docs-"));
after(() => rmSync(work, { recursive: true, force: true }));

const site = join(work, "site");
build(site, root);
const read = (path) => readFileSync(join(site, path), "utf8");
const unescaped = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").replaceAll("&quot;", '"');

// A small repository of its own; gives what building it says.
let repositories = 0;
function problemsOf(files) {
  const place = join(work, `repository-${(repositories += 1)}`);
  for (const [path, text] of Object.entries({ "docs/README.md": "# Map\n\n[A](a.md)\n", "docs/a.md": "# A\n\n## Part\n", ...files })) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  try {
    build(join(place, "out"), place);
    return "";
  } catch (error) {
    return error.message;
  }
}

// Universal Ctags reads C++ on its own: what it finds in a header and is public has to be in the reference as often.
function declaredBy(header) {
  const lines = execFileSync("ctags", ["--language-force=C++", "--kinds-C++=cegmpstUf", "--fields=+aKsnS", "--extras=-q-F", "-o", "-", header], { encoding: "utf8" }).split("\n");
  const hidden = new Set();
  const names = [];
  for (const line of lines.filter((one) => one && !one.startsWith("!"))) {
    const [name, , , kind, ...more] = line.split("\t");
    const field = (key) => more.find((one) => one.startsWith(`${key}:`))?.slice(key.length + 1);
    const scope = field("class") ?? field("struct") ?? field("enum") ?? field("namespace") ?? (field("function") ? "in a function" : "");
    const access = field("access");
    if (access && access !== "public") hidden.add(`${scope}::${name}`);
    names.push({ name: name.replace(/^operator (?![a-z])/, "operator"), scope, kind, access, line: Number(field("line")) });
  }
  return names.filter(({ name, scope, kind, access }) => {
    if (!/^belay(::|$)/.test(scope) || /::detail\b|\bapp\b|__anon|\bAwaiter\b/.test(scope)) return false;
    if ([...hidden].some((one) => scope === one || scope.startsWith(`${one}::`))) return false;
    if (name === "Awaiter" || name === "promise_type" || /^__anon/.test(name)) return false;
    if (access && access !== "public") return false;
    // Definitions of what a class declares, and parameters of templates that it takes for types.
    return !(/^[A-Z]$/.test(name) && kind === "typedef");
  });
}

test("every public declaration of include/belay is in the reference", () => {
  const headers = readdirSync(join(root, "include/belay")).filter((name) => name.endsWith(".hpp"));
  assert.ok(headers.length > 20);
  let compared = 0;
  const namesIn = (page) => [...page.matchAll(/data-name="([^"]*)"/g)].map((one) => unescaped(one[1]).replace(/<[^<>]*>/g, ""));
  const everywhere = headers.flatMap((name) => namesIn(read(`api/${name.replace(".hpp", ".html")}`)));
  for (const name of headers) {
    const listed = namesIn(read(`api/${name.replace(".hpp", ".html")}`));
    const left = [...listed];
    const missing = [];
    for (const one of declaredBy(join(root, "include/belay", name))) {
      const full = `${one.scope.replace(/^belay(::testing)?(::)?/, "").replace(/<[^<>]*>/g, "")}::${one.name}`.replace(/^::/, "");
      // A friend is shown with its class.
      const isIt = (name) => name === full || (/^operator\W/.test(full) && name.endsWith(`::${full}`));
      const at = left.findIndex(isIt);
      // A class's member template is seen again where it is defined, which may be in another header.
      if (at < 0 && !listed.some(isIt) && !(full.includes("::") && everywhere.some(isIt))) missing.push(`${name}:${one.line}: ${full}`);
      if (at >= 0) left.splice(at, 1);
      compared += 1;
    }
    assert.deepEqual(missing, []);
  }
  assert.ok(compared > 450, `only ${compared} declarations were compared`);
});

test("overloads, operators, values of enums and comments are told apart", () => {
  const header = readHeader(
    `// x.hpp — an example.\n//\n// More of it.\n#pragma once\nnamespace belay {\nnamespace detail {\nint hidden();\n}\n// What it is.\nenum class Way { Up, Down };\n\nclass Thing {\npublic:\n    explicit Thing(int size) : size_{size} { grow(); }\n\n    // Doubles it.\n    template <class T>\n    requires(sizeof(T) > 1) void grow(T by = {});\n    void grow();\n\n    friend bool operator==(const Thing&, const Thing&) = default;\n    int size = 3;  // of it\n\nprivate:\n    int size_ = 0;\n};\n}  // namespace belay\n`,
    "x.hpp",
  );
  assert.equal(header.about, "More of it.");
  assert.deepEqual(namesOf(header.items), ["Way", "Way::Up", "Way::Down", "Thing", "Thing::Thing", "Thing::grow", "Thing::grow", "Thing::operator==", "Thing::size"]);
  const thing = header.items.find((one) => one.name === "Thing");
  const grow = thing.items.find((one) => one.comment === "Doubles it.");
  assert.equal(grow.signatures.length, 2);
  assert.equal(thing.items[0].signatures[0].text, "explicit Thing(int size)");
  assert.equal(thing.items.at(-1).signatures.at(-1).trailing, "of it");
});

test("a declaration that cannot be read is an error and not left out", () => {
  assert.throws(() => readHeader("// x.hpp — an example.\n#pragma once\nnamespace belay {\nint never_ends(\n}\n", "x.hpp"));
  assert.throws(() => readHeader("#pragma once\n", "x.hpp"), /x\.hpp:1: a header opens by saying what it is/);
});

test("a link to nothing is an error: a page, a heading, a file, a picture, a page named in a header", () => {
  assert.equal(problemsOf({}), "");
  assert.match(problemsOf({ "docs/a.md": "# A\n\n[x](gone.md)\n" }), /docs\/a\.md: a link to gone\.md/);
  assert.match(problemsOf({ "docs/README.md": "# Map\n\n[A](a.md#gone)\n" }), /index\.html: a link to a\.html#gone: there is nothing called/);
  assert.match(problemsOf({ "docs/a.md": "# A\n\n[x](../examples/gone.cpp)\n" }), /examples\/gone\.cpp/);
  assert.match(problemsOf({ "docs/a.md": "# A\n\n![x](images/gone.png)\n" }), /images\/gone\.png/);
  assert.match(problemsOf({ "docs/a.md": "# A\n\n![x](https://example.org/x.png)\n" }), /not in the repository/);
  assert.match(problemsOf({ "docs/a.md": "# A\n\n[x](../../secret)\n" }), /secret/);
  assert.match(problemsOf({ "include/belay/x.hpp": "// x.hpp — an example.\n//\n// docs/gone.md has more.\n#pragma once\n" }), /x\.hpp: names docs\/gone\.md/);
});

test("a quoted program that says something else is an error", () => {
  const quote = (text) => ({ "docs/a.md": `# A\n\n\`\`\`cpp examples/x.cpp\n${text}\n\`\`\`\n`, "examples/x.cpp": "int a();\nint b();\nint c();\n" });
  assert.equal(problemsOf(quote("int a();\n…\nint c();")), "");
  assert.match(problemsOf(quote("int a();\nint c();")), /examples\/x\.cpp does not say: int a\(\);/);
  assert.match(problemsOf(quote("int c();\n…\nint a();")), /does not say/);
});

test("nothing in it asks the network, and no page has a script or a style of its own", () => {
  for (const path of ["index.html", "api/engine.html", "steps.html", "look/docs.js", "look/theme.js", "look/docs.css"]) {
    const text = read(path);
    assert.doesNotMatch(text, /(src|href)="(https?:)?\/\/[^"]*\.(js|css|woff2?|png|svg)"|@import|url\(|fetch\(|XMLHttpRequest/);
    assert.doesNotMatch(text, /<script(?! src=)|<style|\son[a-z]+="|\sstyle="/);
  }
});

test("what Markdown and headers say is text: no HTML of theirs gets through", () => {
  const place = join(work, "hostile");
  mkdirSync(join(place, "docs"), { recursive: true });
  writeFileSync(join(place, "docs/README.md"), '# A <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))\n');
  build(join(place, "out"), place);
  const text = readFileSync(join(place, "out/index.html"), "utf8");
  assert.doesNotMatch(text, /<script>|<img|href="javascript:/);
});

test("the index of the search has every section, with its words", () => {
  const index = JSON.parse(read("look/index.js").replace(/^window\.belayDocs = /, "").replace(/;\n$/, ""));
  const found = index.find(([address]) => address === "api/context.html#context-step") ?? index.find(([address]) => address === "api/context.html#context");
  assert.match(found[3], /records its result under name/);
  assert.ok(index.some(([, page, heading]) => page === "Steps" && heading === "Retry"));
  assert.ok(index.length > 300);
});

test("a site that cannot be built leaves the one that is there", () => {
  const place = join(work, "kept");
  cpSync(join(work, "repository-1"), place, { recursive: true });
  writeFileSync(join(place, "docs/a.md"), "# A\n\n[x](gone.md)\n");
  assert.throws(() => build(join(place, "out"), place));
  assert.match(readFileSync(join(place, "out/index.html"), "utf8"), /Map/);
});
