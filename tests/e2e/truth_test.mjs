// truth_test.mjs — what a view says of how something ended, and when: nothing that is not so.
import { accessible, assert, equal, fileRow, says, test } from "./harness.mjs";
import { receipt } from "./papers.mjs";
import { brokenPicture, picture } from "./pictures.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);

async function post(server, path, body = {}) {
  const answer = await fetch(server.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  assert(answer.ok, `POST ${path}: ${answer.status}`);
  return answer.json();
}

test("a receipt that failed says why and is tried again with one click; nobody is asked to approve it", async (page, { server }) => {
  const taken = await server.upload("unreadable.png", brokenPicture(), "image/png", "receipt");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  equal(run.status, "failed", "the run");
  await page.goto(`/receipts/${taken.file_id}`);
  await page.getByText("It could not be read:").waitFor();
  await page.getByText(run.error.message).waitFor();
  equal(await page.getByRole("button", { name: "Approve" }).count(), 0, "Approve buttons");
  await accessible(page);
  await says(page, /It runs again/, () => page.getByRole("button", { name: "Retry: unreadable.png" }).click());
});

test("a receipt whose run was canceled has not failed", async (page, { server, browser }) => {
  const paper = await receipt(browser, { shop: "Avbruten AB", day: "2026-09-15", rows: [["Kaffe", 31]] });
  const taken = await server.upload("stopped.png", paper, "image/png", "receipt");
  await post(server, `/api/runs/${taken.workflow_run_id}/cancel`, { reason: "the wrong file" });
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  equal(run.status, "canceled", "the run");
  await page.goto(`/receipts/${taken.file_id}`);
  await page.getByText("It was canceled.").waitFor();
  equal(await page.getByText("It could not be read:").count(), 0, "said to have failed");
  equal(await page.getByRole("button", { name: "Approve" }).count(), 0, "Approve buttons");

  await page.goto("/?q=stopped.png");
  await fileRow(page, "stopped.png").getByText("Canceled", { exact: true }).waitFor();
  equal(await fileRow(page, "stopped.png").getByText("Failed").count(), 0, "said to have failed in the list");
  await page.getByLabel("State", { exact: true }).selectOption("failed");
  await page.getByText("No file matches").waitFor();
  await page.getByLabel("State", { exact: true }).selectOption("canceled");
  await fileRow(page, "stopped.png").waitFor();
  await page.goto("/receipts?q=stopped.png");
  await page.locator(".paper-row").getByText("Canceled", { exact: true }).waitFor();
});

test("what somebody approved is not doubted any more, and not to be approved again", async (page, { server, browser }) => {
  const paper = await receipt(browser, { shop: "Lampan och Duken", day: "2026-09-16", rows: [["Lampa", 499]] });
  const taken = await server.upload("lamp.png", paper, "image/png", "receipt");
  await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  await page.goto(`/receipts/${taken.file_id}`);
  await says(page, "Approved.", () => page.getByRole("button", { name: "Approve" }).click());
  await page.locator("h1").getByText("Approved", { exact: true }).waitFor();
  equal(await page.getByRole("button", { name: "Approve" }).count(), 0, "Approve buttons");
  equal(await page.getByText("A person should look at this:").count(), 0, "warnings");
});

test("a fork shows what it took over as taken over, and its own time begins with it", async (page, { server }) => {
  const taken = await server.upload("taken-over.png", picture(), "image/png", "image");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  const second = run.stages.find((stage) => stage.path === "2");
  const fork = await post(server, `/api/runs/${run.id}/fork`, { from: second.path });
  await server.until(`/api/runs/${fork.id}`, over);
  await page.goto(`/runs/${fork.id}`);
  await page.locator(".stage").first().getByText("Taken over").first().waitFor();
  equal(await page.locator(".stage").first().locator(".bar").count(), 0, "bars of what was taken over");
  await page.getByText("1 of them taken over").waitFor();
});

test("what was just submitted is not said to come, also when the clock of the browser is late", async (page, { server }) => {
  await page.clock.install({ time: new Date(Date.now() - 90_000) });
  const taken = await server.upload("late-clock.png", picture(), "image/png", "image");
  await page.goto("/?q=late-clock");
  await page.getByRole("link", { name: "late-clock.png" }).waitFor();
  const told = await page.locator(".upload-about time").textContent();
  assert(!/\bin\b/.test(told), `"${told}"`);
  await page.goto(`/runs/${taken.workflow_run_id}`);
  await page.getByText("Submitted").waitFor();
  assert(!/\bin \d/.test(await page.locator(".tile time").first().textContent()), "on the page of its run");
});
