// budget_test.mjs — a run that a budget has paused: the page says why, and a person lets it pay.
import { accessible, equal, test } from "./harness.mjs";

const kWhy = "Paused just now: step `ask` may cost 0.5 USD, and budget `models` (1 USD a day) has 0.8 USD spent and 0 USD reserved. The call was not made.";

// No workflow of the server costs money here: the run is played to the page.
function paused(code) {
  const at = new Date(Date.now() - 60_000).toISOString();
  return { id: "over", workflow_key: "INTERVIEW", status: "paused", current_stage: "ask", organization_id: "default", file_id: null, created_at: at, updated_at: at, started_at: at, completed_at: null, wake_at: null, deadline_at: null, parent_id: null, forked_from: null, code_version: null, generation: 0, stalled: null, attempts: 1, error: { code, message: kWhy, stage_key: "ask" }, progress: null, cost: {}, saved: {}, parent_path: null, signals: 0, input: null, result: null, stages: [], deaths: [] };
}

test("a run that a budget has paused says so, and is approved under a new limit or once", async (page) => {
  let code = "BudgetReached";
  const asked = [];
  await page.route("**/api/runs/over", (route) => route.fulfill({ json: paused(code) }));
  await page.route("**/api/runs/over/why", (route) => route.fulfill({ json: { run_id: "over", waits_for: "person", sentence: kWhy, to_do: "Let the call be paid once, or raise the limit.", last_error: "" } }));
  await page.route("**/api/runs/over/approve", (route) => {
    asked.push(route.request().postDataJSON());
    if (asked.length === 1) return route.fulfill({ status: 409, json: { error: { code: "conflict", message: "under a limit of 1 USD the call would not be made either" } } });
    return route.fulfill({ json: { id: "over", workflow_key: "INTERVIEW", status: "queued", pending: null } });
  });
  await page.goto("/runs/over");
  await page.getByText(/budget `models` \(1 USD a day\) has 0.8 USD spent/).waitFor();
  const approve = page.getByRole("button", { name: "Approve" });
  await approve.click();
  const dialog = page.getByRole("dialog");
  const send = dialog.getByRole("button", { name: "Approve" });
  await dialog.getByRole("textbox").fill("much");
  await send.click();
  await dialog.getByText(/an amount and its unit/).waitFor();
  await dialog.getByRole("textbox").fill("1 usd");
  await send.click();
  await dialog.getByText(/would not be made either/).waitFor();
  await accessible(page);
  await dialog.getByRole("textbox").fill("");
  await send.click();
  await page.getByText("It goes on.").waitFor();
  equal(asked, [{ amount: "1", currency: "USD" }, {}], "what the server was asked");

  code = "RunPaused";
  await page.reload();
  await page.getByText(/budget `models`/).first().waitFor();
  equal(await approve.count(), 0, "only what a budget has paused is approved");
});
