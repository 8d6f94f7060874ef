// operations_test.mjs — queues, schedules, failures by cause and the inbox: looked at and turned on the page.
import { accessible, equal, says, test } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";

test("failures are grouped by cause, and all of one are retried with one click", async (page, { server }) => {
  const names = ["cut-1.png", "cut-2.png", "cut-3.png"];
  for (const name of names) {
    const taken = await server.upload(name, brokenPicture(), "image/png", "image");
    await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "failed");
  }
  const most = (told) => told.causes.filter((one) => one.stage_key === "classify-image").sort((a, b) => b.runs - a.runs)[0];
  const before = most(await server.until("/api/failures", (told) => most(told)?.runs >= 3));

  await page.goto("/operations");
  const causes = page.getByRole("region", { name: "Failures by cause" });
  const cause = causes.getByRole("listitem").filter({ hasText: before.message }).filter({ hasText: "classify-image" });
  await says(page, `${before.runs} runs asked to run again.`, () => cause.getByRole("button", { name: `Retry all ${before.runs}`, exact: true }).click());

  await server.until("/api/failures", (told) => {
    const now = told.causes.find((one) => one.cause === before.cause);
    return now && now.runs === before.runs && now.newest_at > before.newest_at;
  });
});

test("what ended is charted, and told as a table to those who cannot see it", async (page, { server }) => {
  const taken = await server.upload("charted.png", picture(), "image/png", "image");
  await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
  await page.goto("/operations");
  await page.getByRole("figure", { name: "Runs ended" }).waitFor();
  await page.getByRole("figure", { name: "Runs ended" }).getByRole("row").filter({ hasText: /done, \d+ failed/ }).first().waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Last week" }).click();
  await page.waitForURL(/span=week/);
  await page.getByRole("figure", { name: "From start to end" }).waitFor();
  // Slow runs make long sentences: what only is heard takes no room on a phone.
  await page.setViewportSize({ width: 390, height: 760 });
  await page.route("**/api/activity*", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    return route.fulfill({ response: answer, json: { ...told, buckets: told.buckets.map((one) => ({ ...one, succeeded: 3, median_ms: 112_000, slow_ms: 3_512_000 })) } });
  });
  await page.goto("/operations");
  await page.getByRole("figure", { name: "From start to end" }).getByRole("row").first().waitFor({ state: "attached" });
  equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "the width");
});

test("a queue is limited, paused and resumed", async (page, { server }) => {
  await server.command("queues", "set", "reports", "--concurrency", "2");
  await page.goto("/operations");
  const queues = page.getByRole("region", { name: "Queues" }).getByRole("listitem").filter({ hasText: "reports" });
  await queues.getByText("0 of 2 places taken").waitFor();

  await queues.getByRole("button", { name: "Limits of reports" }).click();
  await page.getByLabel("Runs at work at once, everywhere").fill("5");
  await page.getByLabel("Starts").fill("100");
  await accessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await queues.getByText("0 of 5 places taken").waitFor();
  await queues.getByText("5 at once, 100 per 1 min").waitFor();

  await queues.getByRole("button", { name: "Pause reports" }).click();
  await queues.getByText("Paused").waitFor();
  await queues.getByRole("button", { name: "Resume reports" }).click();
  await queues.getByRole("button", { name: "Pause reports" }).waitFor();
  const queue = (await server.get("/api/queues")).queues.find((one) => one.name === "reports");
  equal([queue.paused, queue.concurrency, queue.rate.starts], [false, 5, 100], "the queue");
});

test("a schedule tells its next time, runs now, is paused and resumed", async (page, { server, web }) => {
  await server.command("schedules", "add", "yearly", "--workflow", "FETCH_DOCUMENT", "--cron", "0 3 1 1 *", "--input", JSON.stringify({ url: `${web.url}/weather` }));
  await page.goto("/operations");
  const schedules = page.getByRole("region", { name: "Schedules" }).getByRole("listitem").filter({ hasText: "yearly" });
  await schedules.getByText(/^next /).waitFor();
  await schedules.getByText("never yet").waitFor();

  await schedules.getByRole("button", { name: "Pause yearly" }).click();
  await schedules.getByText("Paused").waitFor();
  await schedules.getByRole("button", { name: "Resume yearly" }).click();
  await schedules.getByText(/^next /).waitFor();

  await schedules.getByRole("button", { name: "Run now: yearly" }).click();
  await page.waitForURL(/\/runs\/sched_yearly_by_hand/);
  await page.getByRole("heading", { level: 1 }).waitFor();
});

test("a message that nobody understands is in the inbox with its reason, and is dropped", async (page, { server }) => {
  const answer = await fetch(`${server.url}/events/objects`, { method: "POST", headers: { "content-type": "application/json" }, body: "{oops" });
  equal(answer.status, 202, "kept, whatever it is");
  await page.goto("/operations");
  const inbox = page.getByRole("region", { name: "Inbox" });
  await inbox.getByText("the body is not JSON").waitFor();
  await inbox.getByText("Not understood").waitFor();
  await accessible(page);

  await inbox.getByRole("button", { name: "Drop" }).click();
  await inbox.getByText("Dropped").waitFor();
  equal((await server.get("/api/inbox")).messages[0].status, "dropped", "its state");
});

test("a dead letter says why it was given up, and is tried again with one click", async (page, { server }) => {
  const event = { action: "PutObject", object: { key: "default/late.png", size: 1, eTag: "e1" }, eventTime: "2099-01-01T00:00:01.000Z" };
  await fetch(`${server.url}/events/objects`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(event) });
  const [dead] = (await server.until("/api/inbox?status=dead", (told) => told.messages.length > 0)).messages;

  await page.goto("/operations");
  const inbox = page.getByRole("region", { name: "Inbox" });
  await inbox.getByText(/there is no object/).waitFor();
  await says(page, "It is tried again.", () => inbox.getByRole("button", { name: "Retry" }).first().click());
  await server.until(`/api/inbox/${dead.id}`, (told) => told.attempts < dead.attempts || told.status === "waiting" || told.updated_at !== dead.updated_at);
});
