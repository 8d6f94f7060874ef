// states_test.mjs — what runs do is told from what they wait for, wherever runs are counted, listed and filtered; and what a
// step had before it.
import { accessible, assert, equal, test } from "./harness.mjs";
import { picture } from "./pictures.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);

test("runs are counted by what they do: what waits for a reader does not run, and its count leads to it", async (page, { server, samples }) => {
  const taken = [];
  for (let at = 0; at < 8; at++) taken.push(await server.upload(`counted-line-${at}.pdf`, Buffer.concat([samples.bytes("invoice-de-1-worn.pdf"), Buffer.from(`\n% counted ${at}`)]), "application/pdf", "invoice"));
  // One answer is one moment: none of what waits is said to work.
  const { states } = await server.until("/api/run-states", (told) => told.states.helper >= 2);
  const { jobs } = await server.get("/api/helper/jobs");
  assert(states.running <= jobs.filter((job) => job.status === "working").length + 4, `${states.running} are said to run: ${JSON.stringify(states)}`);
  const listed = await server.get("/api/runs?state=helper&limit=3");
  assert(listed.runs.length > 0 && listed.runs.every((run) => run.state === "helper" && run.status === "running"), JSON.stringify(listed.runs.map((run) => run.state)));

  await page.goto("/operations");
  const tile = page.getByRole("link", { name: /^Waiting for a reader/ });
  await tile.filter({ hasText: /[1-9]/ }).waitFor();
  for (const state of ["Queued", "Waiting for its turn", "Running", "Retrying", "Waiting", "Paused", "Failed", "Done", "Canceled"]) await page.getByRole("link", { name: new RegExp(`^${state} ?[\\d,]+$`) }).waitFor();
  const looks = await page.evaluate(() => ["queued", "helper", "running", "retrying"].map((state) => document.querySelector(`a[href="/runs?status=${state}"] path`)?.getAttribute("d")));
  equal(new Set(looks).size, 4, "looks of queued, waiting for a reader, running, retrying");
  await accessible(page);
  await tile.click();
  await page.waitForURL(/status=helper/);
  await page.locator(".run-row").getByText("Waiting for a reader").first().waitFor();
  equal(await page.locator(".run-row").getByText("Running", { exact: true }).count(), 0, "said to run");
  await accessible(page);
  for (const one of taken) await server.post(`/api/runs/${one.workflow_run_id}/cancel`, { reason: "seen" });
  for (const one of taken) await server.until(`/api/runs/${one.workflow_run_id}`, over, 240_000);
});

test("a step shows what was there before it, with the input of the run, and leads to the step that gave it", async (page, { server }) => {
  const taken = await server.upload("what-was-there.png", picture(), "image/png", "image");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  const [first, second] = run.stages.filter((stage) => /^\d+$/.test(stage.path)).sort((a, b) => Number(a.path) - Number(b.path));
  await page.goto(`/runs/${run.id}?stage=${second.path}`);
  const panel = page.getByRole("region", { name: `Stage ${second.stage_key}` });
  await panel.getByText("What steps give is recorded, not what code hands to them").waitFor();
  await panel.getByRole("region", { name: "The input of the run" }).getByText(run.input.file_id).waitFor();
  await accessible(page);
  await panel.getByRole("button", { name: first.stage_key, exact: true }).click();
  const before = page.getByRole("region", { name: `Stage ${first.stage_key}` });
  await before.getByRole("region", { name: "The input of the run" }).waitFor();
  equal(await before.locator(".got-one").count(), 1, "what was there before the first step");
});
