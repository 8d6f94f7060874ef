// harness.mjs — runs the tests of the page one after another in one browser, and reports like the gtest binaries.
//
// A test is a sentence and a function of a fresh page (its own context: no cookies, no storage, no cache of another).
// What the page throws, and whatever axe finds in what a test leaves open, fails the test.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, extname, join } from "node:path";

const web = new URL("../../web/", import.meta.url);
const require = createRequire(new URL("package.json", web));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const tests = [];
export function test(name, options, body) {
  tests.push(typeof options === "function" ? { name, options: {}, body: options } : { name, options, body });
}

export function chromiumPath() {
  const places = (process.env.PATH ?? "").split(delimiter);
  const named = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) => places.map((place) => join(place, name)));
  return [process.env.BELAY_CHROMIUM, ...named].find((path) => path && existsSync(path));
}
export async function launch() {
  return chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-dev-shm-usage", ...(process.env.BELAY_PAGE_DIST ? ["--disable-features=LocalNetworkAccessChecks"] : [])] });
}

export function assert(holds, what) {
  if (!holds) throw new Error(what);
}
export function equal(got, wanted, what) {
  assert(JSON.stringify(got) === JSON.stringify(wanted), `${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}

// A row of the list of files; a file that is still on its way has another one, in a list of its own.
export function fileRow(page, name) {
  return page.getByRole("list", { name: "Files", exact: true }).getByRole("listitem").filter({ hasText: name });
}
// What only stays for seconds is looked for before it comes: `act` makes `words` appear.
export async function says(page, words, act) {
  const seen = page.getByText(words).first().waitFor();
  seen.catch(() => {}); // told below, unless `act` failed first
  await act();
  await seen;
}

export async function accessible(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const told = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  const wrong = told.violations.map((one) => `${one.id} (${one.impact}): ${one.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
  assert(wrong.length === 0, `axe at ${page.url()}:\n    ${wrong.join("\n    ")}`);
}

// While working on the page: BELAY_PAGE_DIST=FOLDER takes it from there, the server stays the one that was built.
export async function fromFolder(context) {
  const folder = process.env.BELAY_PAGE_DIST;
  if (!folder) return;
  await context.route(
    (url) => !/^\/(api|ingest|events|metrics|openapi|healthz)/.test(url.pathname),
    (route) => {
      const path = join(folder, new URL(route.request().url()).pathname);
      return route.fulfill({ path: existsSync(path) && extname(path) ? path : join(folder, "index.html") });
    },
  );
}

// `only`: a part of the names. Gives the number of failures.
export async function runAll({ base, report, only = "", world }) {
  const browser = await launch();
  const results = [];
  for (const one of tests.filter((each) => each.name.includes(only))) {
    const began = Date.now();
    const context = await browser.newContext({ baseURL: base(), viewport: { width: 1280, height: 860 }, locale: "en-US", reducedMotion: "reduce", ...one.options });
    await fromFolder(context);
    const page = await context.newPage();
    page.setDefaultTimeout(Number(process.env.BELAY_PATIENCE_MS ?? 120_000)); // a busy machine is no failure
    const thrown = [];
    page.on("pageerror", (error) => thrown.push(error.message));
    let failure = "";
    try {
      await one.body(page, { ...world, browser });
      await accessible(page);
      assert(thrown.length === 0, `the page threw: ${thrown.join("; ")}`);
    } catch (error) {
      failure = error.message;
      if (process.env.BELAY_SHOTS) await page.screenshot({ path: `${process.env.BELAY_SHOTS}/failed-${results.length}.png` }).catch(() => {});
    }
    await context.close();
    results.push({ name: one.name, failure });
    console.log(`${failure ? "FAILED" : "ok    "} ${one.name} (${Date.now() - began} ms)${failure ? `\n    ${failure}` : ""}`);
  }
  await browser.close();
  const failures = results.filter((one) => one.failure).length;
  if (report) {
    // The shape that tools/run-tests reads the gtest reports in.
    writeFileSync(report, `{\n  "tests": ${results.length},\n  "failures": ${failures},\n  "disabled": 0,\n  "cases": ${JSON.stringify(results)}\n}\n`);
  }
  return failures;
}
