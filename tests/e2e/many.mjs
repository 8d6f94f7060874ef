// many.mjs BELAY [ROWS] — the list of files with 100,000 rows: how long it takes to show, to scroll, to search.
//
// The rows are copies of one upload, written into the database of a server that stands still: what is measured is
// reading and showing. Run it on a quiet machine; docs/page.md has the figures.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fromFolder, launch } from "./harness.mjs";
import { picture } from "./pictures.mjs";
import { Server } from "./server.mjs";

const [, , program, wanted = "100000"] = process.argv;
const rows = Number(wanted);
const server = new Server(program);

function copies(folder) {
  const copy = (table, unique, names) => {
    const columns = execFileSync("sqlite3", [join(folder, "belay.db"), `SELECT group_concat(name) FROM pragma_table_info('${table}') WHERE pk = 0 OR name = 'upload_event_id'`], { encoding: "utf8" }).trim().split(",");
    const values = columns.map((name) => (unique.includes(name) ? `t.${name} || '_' || n.i` : name === names ? `CASE n.i % 1000 WHEN 7 THEN 'rare-' ELSE 'photo-' END || n.i || '.png'` : `t.${name}`));
    return `INSERT INTO "${table}" (${columns}) SELECT ${values} FROM n, (SELECT * FROM "${table}" LIMIT 1) t;`;
  };
  const script = [
    `CREATE TEMP TABLE n AS WITH RECURSIVE up(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM up WHERE i < ${rows}) SELECT i FROM up;`,
    "BEGIN;",
    copy("unified_files", ["id", "workflow_run_id", "object_key"], "original_filename"),
    copy("Upload", ["upload_event_id", "workflow_id", "r2_key"], "name"),
    copy("workflow_runs", ["public_id"], ""),
    "COMMIT;",
  ].join("\n");
  execFileSync("sqlite3", [join(folder, "belay.db")], { input: script });
}

const browser = await launch();
try {
  await server.start();
  const taken = await server.upload("photo-0.png", picture(), "image/png", "image");
  await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
  await server.kill();
  copies(join(server.folder, "data"));
  await server.start();

  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 860 }, locale: "en-US" });
  await fromFolder(context);
  const page = await context.newPage();
  const clock = async (what, act) => {
    const began = performance.now();
    await act();
    console.log(`${what}: ${(performance.now() - began).toFixed(0)} ms`);
  };
  await page.addInitScript(() => {
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.longest = Math.max(window.longest, one.duration)))).observe({ type: "longtask", buffered: true });
  });
  await clock(`first rows of ${rows}`, async () => {
    await page.goto("/");
    await page.locator(".upload").first().waitFor();
  });
  const many = () => page.evaluate(() => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0));
  // As far as a minute takes: nobody scrolls on for longer.
  await clock("scrolled on, page by page", async () => {
    const until = Date.now() + 60_000;
    for (let held = -1; Date.now() < until; ) {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const now = await many();
      if (now > rows || now === held) break;
      held = now;
      await page.waitForFunction((old) => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0) > old, now, { timeout: 20_000, polling: 20 }).catch(() => {});
    }
  });
  console.log(`rows held: ${await many()}, elements: ${await page.evaluate(() => document.querySelectorAll(".upload").length)}, longest task so far ${(await page.evaluate(() => window.longest)).toFixed(0)} ms`);
  await page.evaluate(() => (window.longest = 0));
  await clock("200 jumps through all of them", () =>
    page.evaluate(async () => {
      const height = document.documentElement.scrollHeight;
      for (let n = 0; n < 200; n++) {
        scrollTo(0, ((n * 7919) % 200) * (height / 200));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    }),
  );
  console.log(`longest task while jumping: ${(await page.evaluate(() => window.longest)).toFixed(0)} ms`);
  await clock("search by name (100 of all fit)", async () => {
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole("searchbox").fill("rare-");
    await page.waitForFunction(() => [...document.querySelectorAll(".upload-link")].every((one) => one.textContent.startsWith("rare-")) && document.querySelector(".upload-link"));
  });
  await clock("filter by state", async () => {
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No file matches").waitFor();
  });
  for (const path of ["/api/uploads?limit=100", "/api/uploads?limit=100&q=rare-", "/api/uploads?limit=100&state=failed", "/api/runs?limit=100", "/api/activity?seconds=604800", "/metrics"]) {
    await clock(`GET ${path}`, () => fetch(server.url + path).then((answer) => answer.text()));
  }
} finally {
  await browser.close();
  await server.end();
}
