import { strict as assert } from "node:assert";
import { test } from "node:test";
import { rowsOf, type Run } from "./timeline_model";
import { withWaits } from "./waited";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds)).toISOString();
const stage = (given: object) => ({ stage_key: "ocr", position: 1, path: "1", kind: "step", status: "succeeded", attempt: 1, started_at: at(1), finished_at: at(61), duration_ms: 60_000, next_attempt_at: null, message: null, output: { took_ms: 4000 }, checkpoint: null, failed_attempts: [], ...given });
const run = (stages: object[], given: object = {}) => ({ id: "wf1_x", workflow_key: "WF1_RECEIPT", status: "running", created_at: at(0), updated_at: at(61), completed_at: null, forked_from: null, deaths: [], stages, ...given }) as unknown as Run;
const none = { runs: new Set<string>(), stages: new Map<string, string>() };

test("a minute in which a page waited for its reader is not a minute of reading", () => {
  const [row] = rowsOf(withWaits(run([stage({})]), none), Date.parse(at(70)), new Set());
  assert.deepEqual(row?.bars.map((bar) => [bar.look, bar.to - bar.from]), [["queued", 57_000], ["done", 4000]]);
  assert.deepEqual(row?.took, { worked: 4000, waited: 57_000 });
});
test("a page that waits for its reader now is not at work", () => {
  const waits = { runs: new Set(["wf1_x"]), stages: new Map([["wf1_x ocr", at(1)]]) };
  const [row] = rowsOf(withWaits(run([stage({ status: "running", finished_at: null, output: null })]), waits), Date.parse(at(31)), new Set());
  assert.deepEqual(row?.bars.map((bar) => bar.look), ["queued"]);
  assert.equal(row?.took?.worked, 0);
});
test("a number of that name in somebody else's workflow means whatever it means there", () => {
  const mine = run([stage({})], { workflow_key: "MY_OWN" });
  assert.equal(withWaits(mine, none), mine);
});
