// tasks.mjs BELAY [FOLDER] — five things that somebody does who has never seen the page before: how long each takes, and how
// many clicks. FOLDER gets a picture of where each ends.
//
// The time is the page's: from the first click until the answer is on the screen, without the time that a person reads. A
// choice in a list counts two clicks, a key one press; what is typed is told beside them.
import { mkdirSync } from "node:fs";
import { assert, fromFolder, launch } from "./harness.mjs";
import { Samples, receipt } from "./papers.mjs";
import { brokenPicture } from "./pictures.mjs";
import { Server } from "./server.mjs";

const [, , program, folder] = process.argv;
if (!program) {
  console.error("usage: node tests/e2e/tasks.mjs BELAY [FOLDER]");
  process.exit(2);
}
if (folder) mkdirSync(folder, { recursive: true });

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);
const month = new Date(new Date().getFullYear(), new Date().getMonth() - 1, 1);
const day = (n) => `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, "0")}-${String(n).padStart(2, "0")}`;

// A person who counts what they do.
class Person {
  clicks = 0;
  keys = 0;
  typed = 0;
  constructor(page) {
    this.page = page;
  }
  async click(target) {
    this.clicks++;
    await target.click();
  }
  async choose(target, option) {
    this.clicks += 2;
    await target.selectOption(option);
  }
  async type(target, words) {
    this.typed += words.length;
    await target.fill(words);
  }
  async press(key) {
    this.keys++;
    await this.page.keyboard.press(key);
  }
}

async function patch(server, path, body) {
  const answer = await fetch(server.url + path, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  assert(answer.ok, `PATCH ${path}: ${answer.status}`);
}

// Twelve receipts of last month of which ten are doubted, a failure, and a scan that a kill interrupts.
async function world(server, browser, samples) {
  const receipts = [];
  for (let n = 1; n <= 12; n++) {
    const bytes = await receipt(browser, { shop: `Butik ${n}`, day: day(n), rows: [["Vara", 10 * n], ["Annat", 5]] });
    receipts.push(await server.upload(`kvitto-${n}.png`, bytes, "image/png", "receipt"));
  }
  for (const one of receipts) await server.until(`/api/runs/${one.workflow_run_id}`, over, 300_000);
  for (const one of receipts.slice(0, 10)) {
    await patch(server, `/api/receipts/${one.file_id}`, { currency: "NOK" });
    for (const verb of ["approve", "reopen"]) await server.post(`/api/receipts/${one.file_id}/${verb}`, {});
    await patch(server, `/api/receipts/${one.file_id}`, { currency: "SEK" });
  }
  const broken = await server.upload("half-a-picture.png", brokenPicture(), "image/png", "image");
  await server.until(`/api/runs/${broken.workflow_run_id}`, over);
  const scan = await server.upload("rechnung-scan.pdf", samples.bytes("invoice-de-1-worn.pdf"), "application/pdf", "invoice");
  await server.until(`/api/runs/${scan.workflow_run_id}`, (run) => run.stages.some((stage) => /^ocr_page_/.test(stage.stage_key) && stage.status === "succeeded"), 120_000);
  await server.kill();
  await server.start();
  await server.until(`/api/runs/${scan.workflow_run_id}`, over, 300_000);
  return { broken, scan };
}

const tasks = {
  "find last month's receipts without a match": async (me, page) => {
    await me.click(page.getByRole("link", { name: "Receipts" }));
    await me.click(page.getByRole("button", { name: "Last month" }));
    await me.choose(page.getByLabel("Card statement"), "0");
    await page.getByText("12 papers").waitFor();
    return "12 receipts";
  },
  "correct a wrong line and approve ten": async (me, page, { server }) => {
    await me.click(page.getByRole("link", { name: /^Review/ }));
    const lines = page.getByRole("region", { name: "Lines" });
    await me.click(lines.getByRole("button", { name: "Change lines" }));
    await me.type(lines.getByRole("textbox", { name: "Item 1" }), "Skrivbordslampa");
    await me.click(lines.getByRole("button", { name: "Save" }));
    await lines.getByText("Skrivbordslampa").waitFor();
    const left = (await server.get("/api/review")).total;
    for (let n = 1; n <= 10; n++) {
      const before = page.url();
      await me.press("a");
      await page.waitForFunction((url) => location.href !== url || !location.search, before);
      await server.until("/api/review", (told) => told.total === left - n);
    }
    await page.getByText(`1 of ${left - 10}`).or(page.getByRole("heading", { name: "Nothing to review" })).first().waitFor();
    return "ten approved";
  },
  "find out why a run failed and run it again": async (me, page, { server, broken }) => {
    await me.click(page.getByRole("link", { name: "Operations" }));
    const cause = page.getByRole("region", { name: "Failures by cause" }).getByRole("listitem").first();
    await me.click(cause.getByRole("link").first());
    const why = await page.locator(".notice .error-text").first().textContent();
    await me.click(page.getByRole("button", { name: "Retry" }));
    await server.until(`/api/runs/${broken.workflow_run_id}`, (run) => run.updated_at > run.created_at);
    await page.getByText("It runs again").first().waitFor();
    return why.slice(0, 70);
  },
  "see what a crash cost": async (me, page) => {
    await me.type(page.getByRole("searchbox"), "rechnung-scan");
    await me.click(page.getByRole("link", { name: "rechnung-scan.pdf" }));
    await me.click(page.getByRole("link", { name: "Its run" }));
    const crash = page.locator(".crash");
    await crash.waitFor();
    return `${await crash.locator(".crash-held b").first().textContent()}, ${await crash.locator(".crash-lost span").first().textContent()}`;
  },
  "export for the accountant": async (me, page) => {
    await me.click(page.getByRole("link", { name: "Receipts" }));
    await me.click(page.getByRole("link", { name: "Export" }));
    await me.click(page.getByRole("button", { name: "Last month" }));
    const taken = [];
    for (const name of ["SIE file", "Originals as ZIP"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), me.click(page.getByRole("button", { name }))]);
      await download.path();
      taken.push(download.suggestedFilename());
    }
    return taken.join(", ");
  },
};

const server = new Server(program);
const samples = new Samples(program);
const browser = await launch();
let failed = 0;
try {
  await server.start();
  const made = await world(server, browser, samples);
  const lines = [];
  for (const [at, [name, task]] of Object.entries(tasks).entries()) {
    const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 860 }, locale: "en-US", reducedMotion: "reduce", acceptDownloads: true });
    await fromFolder(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto("/");
    await page.getByRole("heading", { level: 2, name: "Files", exact: true }).waitFor();
    const me = new Person(page);
    const began = performance.now();
    let told;
    try {
      told = await task(me, page, { server, ...made });
    } catch (error) {
      failed++;
      told = `FAILED: ${error.message.split("\n")[0]}`;
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    lines.push([name, `${seconds} s`, String(me.clicks), String(me.keys), String(me.typed), told]);
    if (folder) await page.screenshot({ path: `${folder}/task-${at + 1}.png` });
    await context.close();
  }
  const heads = ["task", "time", "clicks", "keys", "letters", "what it gave"];
  const widths = heads.map((head, at) => Math.max(head.length, ...lines.map((line) => line[at].length)));
  for (const line of [heads, ...lines]) console.log(line.map((cell, at) => (at > 0 && at < 5 ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join("  ").trimEnd());
} finally {
  await browser.close();
  await server.end();
  samples.end();
}
process.exit(failed > 0 ? 1 : 0);
