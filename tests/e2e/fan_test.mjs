// fan_test.mjs — a fan of 1,000 branches arrives live: no task of the page may take longer than 50 ms.
//
// No workflow of the server has so many branches, so what the page is told of this one run is played to it: the run as
// it grows, and events for its stages faster than the page reads. The page is the real one; what is measured is its main
// thread, in the browser's own trace.
import { test } from "./harness.mjs";
import { shortTasks, traced } from "./trace.mjs";

const kBranches = 1000;

function branch(n, done, began) {
  const at = (ms) => new Date(began + ms).toISOString();
  const ended = n < done;
  return { stage_key: `ocr_page_${n + 1}`, position: n + 2, path: `1.${n + 1}`, kind: "step", status: ended ? "succeeded" : "running", attempt: 1, started_at: at(n), finished_at: ended ? at(n + 40) : null, duration_ms: ended ? 40 : null, next_attempt_at: null, message: null, output: ended ? { text: `page ${n + 1}`, words: 200 } : null, failed_attempts: [] };
}
function runAt(done, began) {
  const now = new Date().toISOString();
  const stages = Array.from({ length: Math.min(kBranches, done + 50) }, (_, n) => branch(n, done, began));
  const fan = { ...branch(0, 0, began), stage_key: "ocr_page", path: "1", kind: "fan", position: 1, status: done >= kBranches ? "succeeded" : "running", finished_at: done >= kBranches ? now : null };
  return { id: "fan", workflow_key: "WF2_PDF_SPLIT", status: done >= kBranches ? "succeeded" : "running", current_stage: "ocr_page", organization_id: "default", file_id: null, created_at: new Date(began).toISOString(), updated_at: now, started_at: new Date(began).toISOString(), completed_at: done >= kBranches ? now : null, wake_at: null, deadline_at: null, parent_id: null, forked_from: null, code_version: null, generation: 0, stalled: null, attempts: 1, error: null, progress: { done, total: kBranches, text: "pages" }, cost: {}, saved: {}, parent_path: null, signals: 0, input: null, result: null, stages: [fan, ...stages] };
}

test("no task above 50 ms while a fan of 1,000 branches arrives live", async (page) => {
  let began = 0;
  let done = 0;
  let socket;
  await page.route("**/api/runs/fan", (route) => route.fulfill({ json: runAt(done, began) }));
  await page.route("**/api/runs/fan/why", (route) => route.fulfill({ json: { id: "fan", workflow_key: "x", status: "running", sentence: "ocr_page is under way", waits_for: "step", to_do: null, since: null, until: null, stage_key: null, attempt: null, last_error: null, worker: null, topic: null, child_id: null, child_status: null, open_branches: [], stalled: null, executor: null } }));
  await page.routeWebSocket("**/api/live*", (ws) => {
    socket = ws;
    ws.send(JSON.stringify({ id: 1, type: "hello", at: new Date().toISOString(), data: null }));
  });

  await shortTasks(async () => {
    began = Date.now();
    done = 0;
    await page.goto("/runs/fan");
    await page.getByRole("button", { name: "ocr_page", exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    return traced(page, async () => {
      for (let id = 2; done < kBranches; done += 20) {
        for (let n = 0; n < 8; n++) socket.send(JSON.stringify({ id: id++, type: "stage_ended", at: new Date().toISOString(), data: { workflow_run_id: "fan", stage_key: "ocr_page_1", path: "1.1", status: "succeeded" } }));
        await page.waitForTimeout(10);
        // Half-way a person opens the fan: from then on the rows themselves are shown.
        if (done === 500) await page.getByRole("button", { name: /ocr_page: .* inside/ }).click();
      }
      done = kBranches;
      socket.send(JSON.stringify({ id: 9999, type: "run_ended", at: new Date().toISOString(), data: { workflow_run_id: "fan", status: "succeeded" } }));
      await page.getByText("Done").first().waitFor();
    });
  });
});
