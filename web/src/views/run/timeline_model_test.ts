import { strict as assert } from "node:assert";
import { test } from "node:test";
import { axisOf, barsOf, rowsOf, type Run, type Stage } from "./timeline_model";

const at = (ms: number) => new Date(ms).toISOString();
function stage(path: string, from: number, to: number | null, more: Partial<Stage> = {}): Stage {
  return { stage_key: `s${path}`, position: 0, path, kind: "step", status: to === null ? "running" : "succeeded", attempt: 1, started_at: at(from), finished_at: to === null ? null : at(to), duration_ms: to === null ? null : to - from, next_attempt_at: null, message: null, output: null, failed_attempts: [], ...more };
}
function run(stages: Stage[], to: number): Run {
  return { created_at: at(0), completed_at: at(to), status: "succeeded", stages } as unknown as Run;
}

test("stages are in the order of the code, also beyond nine", () => {
  const rows = rowsOf([stage("10", 0, 1), stage("2.10", 0, 1), stage("2.9", 0, 1), stage("2", 0, 1)], 1, new Set());
  assert.deepEqual(rows.map((row) => row.stage.path), ["2", "2.9", "2.10", "10"]);
  assert.deepEqual(rows.map((row) => row.depth), [0, 1, 1, 0]);
});

test("a retried stage has a bar for each failed attempt, a pause, and the attempt that counts", () => {
  const failed = { attempt: 1, started_at: at(100), finished_at: at(200), error_code: null, message: "no", worker: "w1" };
  const again = { ...failed, attempt: 2, started_at: at(300), finished_at: at(350) };
  const bars = barsOf(stage("1", 100, 500, { attempt: 3, failed_attempts: [failed, again] }), 1000);
  assert.deepEqual(bars.map((bar) => [bar.look, bar.from, bar.to]), [["failed", 100, 200], ["pause", 200, 300], ["failed", 300, 350], ["done", 350, 500]]);
});

test("a fan of many branches is closed and counts them until it is opened", () => {
  const branches = Array.from({ length: 1000 }, (_, n) => stage(`1.${n + 1}`, 0, n < 600 ? 10 : null));
  const closed = rowsOf([stage("1", 0, null, { kind: "fan" }), ...branches], 50, new Set());
  assert.equal(closed.length, 1);
  assert.deepEqual([closed[0]?.inside, closed[0]?.insideDone], [1000, 600]);
  assert.equal(rowsOf([stage("1", 0, null, { kind: "fan" }), ...branches], 50, new Set(["1"])).length, 1001);
});

test("a week in which nothing ran is folded, and the work beside it keeps its width", () => {
  const week = 7 * 86_400_000;
  const axis = axisOf(run([stage("1", 0, 400), stage("2", 400, week, { kind: "receive" }), stage("3", week, week + 400)], week + 400), week + 400);
  assert.equal(axis.folds.length, 1);
  assert.ok(axis.place(400) > 0.4 && axis.place(400) < 0.5, String(axis.place(400)));
  assert.ok(axis.place(week) > 0.5 && axis.place(week) < 0.56);
  assert.equal(Math.round(axis.place(week + 400) * 1000), 1000);
});
