// shape_test.mjs — the shape of a run as a picture: a real invoice's pages, and branches by the thousand, live.
import { accessible, assert, equal, test } from "./harness.mjs";
import { shortTasks, traced } from "./trace.mjs";

test("the shape of a real run: steps in their order, the pages beside each other, each to be chosen", async (page, { server, samples }) => {
  const taken = await server.upload("shape.pdf", samples.bytes("invoice-de-1-worn.pdf"), "application/pdf", "invoice");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, (one) => ["succeeded", "failed"].includes(one.status));
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "As its shape" }).click();
  await page.waitForURL(/as=shape/);
  const graph = page.getByRole("region", { name: "The shape of the run" });
  for (const stage of run.stages.filter((one) => one.kind !== "patch")) await graph.getByRole("button", { name: new RegExp(`^${stage.stage_key}\\b`) }).first().waitFor();
  const places = await Promise.all(["prepare_pages", "merge_ocr", "finalize"].map((name) => graph.getByRole("button", { name: new RegExp(`^${name}\\b`) }).first().boundingBox()));
  assert(places.every((one, at) => at === 0 || one.y > places[at - 1].y || one.x > places[at - 1].x), "one after another");
  await accessible(page);

  await graph.getByRole("button", { name: /^merge_ocr/ }).click();
  const panel = page.getByRole("region", { name: "Stage merge_ocr" });
  await panel.getByRole("heading", { name: "What was there before it" }).waitFor();
  await panel.getByRole("heading", { name: "What it gave" }).waitFor();
  await accessible(page);
});

test("JSON folds, unfolds and is copied whole", async (page, { server, samples }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const taken = await server.upload("folds.pdf", samples.bytes("invoice-en-1.pdf"), "application/pdf", "invoice");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, (one) => one.status === "succeeded");
  await page.goto(`/runs/${run.id}`);
  const result = page.getByRole("region", { name: "Result" });
  await result.waitFor();
  const box = page.locator(".json-box").filter({ has: result });
  const open = () => box.locator("details[open]").count();
  if ((await open()) > 1) await box.getByRole("button", { name: "Fold", exact: true }).click();
  await page.waitForFunction(() => true);
  const few = await open();
  await box.getByRole("button", { name: "Unfold", exact: true }).click();
  assert((await open()) > few, "unfolded");
  await result.getByText(/lines/).first().waitFor();
  await box.getByRole("button", { name: "Copy: Result" }).click();
  await page.getByText("Copied.").waitFor();
  equal(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), run.result, "what was copied");
});

// Workflows of the server have no fan that wide: the run is played to the page, as fan_test.mjs does.
function runOf(branches, done, began) {
  const at = (ms) => new Date(began + ms).toISOString();
  const stage = (path, key, kind, over, failed = false) => ({ stage_key: key, position: 1, path, kind, status: over ? (failed ? "failed" : "succeeded") : "running", attempt: 1, started_at: at(1), finished_at: over ? at(50) : null, duration_ms: over ? 49 : null, next_attempt_at: null, message: null, output: over ? { n: path } : null, failed_attempts: [] });
  const stages = [stage("1", "split", "step", true), stage("2", "work", "fan", done >= branches)];
  for (let n = 0; n < branches; n++) stages.push(stage(`2.${n + 1}`, `work_${n + 1}`, "step", n < done, n % 97 === 5));
  const over = done >= branches;
  return { id: "wide", workflow_key: "WIDE", status: over ? "succeeded" : "running", current_stage: "work", organization_id: "default", file_id: null, created_at: at(0), updated_at: at(60), started_at: at(0), completed_at: over ? at(60) : null, wake_at: null, deadline_at: null, parent_id: null, forked_from: null, code_version: null, generation: 0, stalled: null, attempts: 1, error: null, progress: null, cost: {}, saved: {}, parent_path: null, signals: 0, input: null, result: null, stages, deaths: [] };
}

// 8,000 stages are three megabytes to read at once; only that takes longer than a frame or two.
const kWideMs = 200;

for (const branches of [8, 8000]) {
  test(`the shape of a fan of ${branches.toLocaleString("en-US")} branches is drawn while it goes on`, async (page) => {
    let done = 0;
    const began = Date.now() - 60_000;
    await page.route("**/api/runs/wide", (route) => route.fulfill({ json: runOf(branches, done, began) }));
    await page.route("**/api/runs/wide/why", (route) => route.fulfill({ status: 404, json: { error: { code: "not_found", message: "x" } } }));
    await page.goto("/runs/wide?as=shape");
    const graph = page.getByRole("region", { name: "The shape of the run" });
    await graph.getByText(`0 of ${branches.toLocaleString("en-US")} done`).waitFor();
    const grow = async () => {
      done = Math.floor(branches / 2);
      await graph.getByText(`${done.toLocaleString("en-US")} of ${branches.toLocaleString("en-US")} done`).waitFor();
    };
    if (branches > 1000) await shortTasks(async () => ((done = 0), await graph.getByText("0 of 8,000 done").waitFor(), traced(page, grow)), kWideMs);
    else await grow();
    if (branches === 8) {
      await graph.getByRole("button", { name: /^work_1/ }).click();
      await page.getByRole("region", { name: "Stage work_1" }).waitFor();
    } else {
      const field = graph.getByRole("img", { name: /8,000 branches: .*Done/ });
      await field.click({ position: { x: 4, y: 4 } });
      await page.getByRole("region", { name: "Stage work_1" }).waitFor();
    }
    done = branches;
    await graph.getByText(`${branches.toLocaleString("en-US")} of ${branches.toLocaleString("en-US")} done`).waitFor();
    await accessible(page);
  });
}
