// operations_test.mjs — queues, schedules, failures by cause and the inbox: looked at and turned on the page.
import { accessible, assert, equal, test } from "./harness.mjs";
import { brokenPicture } from "./pictures.mjs";

test("failures are grouped by cause, and all of one are retried with one click", async (page, { server }) => {
  const names = ["cut-1.png", "cut-2.png", "cut-3.png"];
  for (const name of names) {
    const taken = await server.upload(name, brokenPicture(), "image/png", "image");
    await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "failed");
  }
  const before = (await server.get("/api/failures")).causes.find((one) => one.stage_key === "classify-image");
  assert(before.runs >= 3, `three of one cause: ${before.runs}`);

  await page.goto("/operations");
  const causes = page.getByRole("region", { name: "Failures by cause" });
  await causes.getByText("classify-image").first().waitFor();
  await causes.getByRole("button", { name: `Retry all ${before.runs}` }).click();
  await page.getByText(`${before.runs} runs asked to run again.`).waitFor();

  await server.until("/api/failures", (told) => {
    const now = told.causes.find((one) => one.cause === before.cause);
    return now && now.runs === before.runs && now.newest_at > before.newest_at;
  });
});

test("what ended is charted, and told as a table to those who cannot see it", async (page) => {
  await page.goto("/operations");
  await page.getByRole("figure", { name: "Runs ended" }).waitFor();
  const told = await page.getByRole("figure", { name: "Runs ended" }).getByRole("row").allTextContents();
  assert(told.some((line) => /done, \d+ failed/.test(line)), `rows: ${told}`);
  await page.getByRole("button", { name: "Last week" }).click();
  await page.getByRole("figure", { name: "Time a run took" }).waitFor();
  assert(page.url().includes("span=week"), "the address has the span");
});

test("a queue is limited, paused and resumed", async (page, { server }) => {
  await server.command("queues", "set", "reports", "--concurrency", "2");
  await page.goto("/operations");
  const queues = page.getByRole("region", { name: "Queues" });
  await queues.getByText("0 of 2 at work").waitFor();

  await queues.getByRole("button", { name: "Limits of reports" }).click();
  await page.getByLabel("Runs at work at once, everywhere").fill("5");
  await page.getByLabel("Starts").fill("100");
  await accessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await queues.getByText("0 of 5 at work").waitFor();
  await queues.getByText("5 at once, 100 per 1 min").waitFor();

  await queues.getByRole("button", { name: "Pause reports" }).click();
  await queues.getByText("Paused").waitFor();
  await queues.getByRole("button", { name: "Resume reports" }).click();
  await queues.getByRole("button", { name: "Pause reports" }).waitFor();
  const [queue] = (await server.get("/api/queues")).queues;
  equal([queue.paused, queue.concurrency, queue.rate.starts], [false, 5, 100], "the queue");
});

test("a schedule tells its next time, runs now, is paused and resumed", async (page, { server, web }) => {
  await server.command("schedules", "add", "yearly", "--workflow", "FETCH_DOCUMENT", "--cron", "0 3 1 1 *", "--input", JSON.stringify({ url: `${web.url}/weather` }));
  await page.goto("/operations");
  const schedules = page.getByRole("region", { name: "Schedules" });
  await schedules.getByText(/next in/).waitFor();
  await schedules.getByText("never yet").waitFor();

  await schedules.getByRole("button", { name: "Pause yearly" }).click();
  await schedules.getByText("Paused").waitFor();
  await schedules.getByRole("button", { name: "Resume yearly" }).click();
  await schedules.getByText(/next in/).waitFor();

  await schedules.getByRole("button", { name: "Run yearly now" }).click();
  await page.waitForURL(/\/runs\/sched_yearly_by_hand/);
  await page.getByRole("heading", { level: 1 }).waitFor();
});

test("a message that cannot be handled is in the inbox with its reason, and is tried again or dropped", async (page, { server }) => {
  const answer = await fetch(`${server.url}/events/objects`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ action: "PutObject", bucket: "b", object: { key: "", size: 1, eTag: "x" } }) });
  assert(answer.status < 500, `taken or refused: ${answer.status}`);
  await page.goto("/operations");
  await page.getByRole("region", { name: "Inbox" }).waitFor();
  const held = (await server.get("/api/inbox?limit=10")).messages;
  if (held.length === 0) return page.getByText("The inbox is empty").waitFor();
  const button = page.getByRole("region", { name: "Inbox" }).getByRole("button", { name: "Drop" }).first();
  await button.click();
  await page.getByText("Dropped.").waitFor();
});
