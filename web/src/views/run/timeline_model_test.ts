import { strict as assert } from "node:assert";
import { test } from "node:test";
import { deathsOf } from "./deaths";
import { axisOf, barsOf, rowsOf, workedIn, workedOf, type Run, type Stage } from "./timeline_model";

const at = (ms: number) => new Date(ms).toISOString();
function stage(path: string, from: number, to: number | null, more: Partial<Stage> = {}): Stage {
  return { stage_key: `s${path}`, position: 0, path, kind: "step", status: to === null ? "running" : "succeeded", attempt: 1, started_at: at(from), finished_at: to === null ? null : at(to), duration_ms: to === null ? null : to - from, next_attempt_at: null, message: null, output: null, checkpoint: null, failed_attempts: [], ...more };
}
function run(stages: Stage[], to: number): Run {
  return { created_at: at(0), completed_at: at(to), status: "succeeded", stages } as unknown as Run;
}

test("stages are in the order of the code, also beyond nine", () => {
  const rows = rowsOf(run([stage("10", 0, 1), stage("2.10", 0, 1), stage("2.9", 0, 1), stage("2", 0, 1)], 1), 1, new Set());
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
  const closed = rowsOf(run([stage("1", 0, null, { kind: "fan" }), ...branches], 50), 50, new Set());
  assert.equal(closed.length, 1);
  assert.deepEqual([closed[0]?.inside, closed[0]?.insideDone], [1000, 600]);
  assert.equal(rowsOf(run([stage("1", 0, null, { kind: "fan" }), ...branches], 50), 50, new Set(["1"])).length, 1001);
});

test("a week in which nothing ran is folded, and the work beside it keeps its width", () => {
  const week = 7 * 86_400_000;
  const axis = axisOf(run([stage("1", 0, 400), stage("2", 400, week, { kind: "receive" }), stage("3", week, week + 400)], week + 400), week + 400);
  assert.equal(axis.folds.length, 1);
  assert.ok(axis.place(400) > 0.4 && axis.place(400) < 0.5, String(axis.place(400)));
  assert.ok(axis.place(week) > 0.5 && axis.place(week) < 0.56);
  assert.equal(Math.round(axis.place(week + 400) * 1000), 1000);
});

const looks = (bars: { look: string; from: number; to: number }[]) => bars.map((bar) => [bar.look, bar.from, bar.to]);

test("waiting for a turn is drawn as waiting, and is no work", () => {
  const waited = run([stage("1", 4000, 4100), stage("2", 4100, 4300), stage("3", 9300, 9400)], 9400);
  const rows = rowsOf(waited, 9400, new Set());
  assert.deepEqual(rows.map((row) => looks(row.bars)), [[["queued", 0, 4000], ["done", 4000, 4100]], [["done", 4100, 4300]], [["queued", 4300, 9300], ["done", 9300, 9400]]]);
  assert.deepEqual(rows[2]?.took, { worked: 100, waited: 5000 });
  assert.equal(workedOf(waited, 9400), 400);
});

test("a step that nobody has begun waits, from the end of what came before it", () => {
  const now = 5000;
  const queued = stage("2", 0, null, { status: "queued", started_at: null });
  const rows = rowsOf({ ...run([stage("1", 0, 100), queued], now), completed_at: null, status: "running" } as Run, now, new Set());
  assert.deepEqual(looks(rows[1]?.bars ?? []), [["queued", 100, 5000]]);
  assert.deepEqual(rows[1]?.took, { worked: 0, waited: 4900 });
});

test("branches that run side by side count once", () => {
  assert.equal(workedOf(run([stage("1", 0, 1000, { kind: "fan" }), stage("1.1", 0, 600), stage("1.2", 200, 1000)], 1000), 1000), 1000);
});

test("a group is as long as what is in it, and worked as long as that did, also over a gap", () => {
  const fan = run([stage("1", 0, 5000, { kind: "fan" }), stage("1.1", 0, 600), stage("1.2", 400, 1000), stage("1.3", 4000, 5000)], 5000);
  const [group] = rowsOf(fan, 5000, new Set());
  assert.deepEqual(looks(group?.bars ?? []), [["group", 0, 5000]]);
  assert.deepEqual(group?.took, { worked: 2000, waited: 0 });
});

const death = { worker: "a/1/x", epoch: 1, last_seen: at(1500), picked_up_by: "a/2/y", picked_up_at: at(4000), stage: "2", charged: true, reason: null };

test("a death in a step is a lost attempt, a gap, and the attempt that counts", () => {
  const died = { ...run([stage("1", 0, 1000), stage("2", 1000, 4800), stage("3", 4800, 5000)], 5000), started_at: at(0), deaths: [death] } as unknown as Run;
  const deaths = deathsOf(died);
  assert.deepEqual(deaths.map((one) => [one.at, one.back, one.held, one.heldMs, one.lostMs]), [[1500, 4000, 1, 1000, 500]]);
  const [, ocr, after] = rowsOf(died, 5000, new Set(), deaths);
  assert.deepEqual(looks(ocr?.bars ?? []), [["lost", 1000, 1500], ["done", 4000, 4800]]);
  assert.equal(ocr?.attempt, 2);
  assert.equal(workedIn(died, died.stages[1] as Stage, deaths), 800);
  assert.deepEqual(looks(after?.bars ?? []), [["done", 4800, 5000]]);
  assert.equal(workedOf(died, 5000, deaths), 1000 + 500 + 800 + 200);
});

test("a step too young for a record when its worker died is known by its name", () => {
  const died = { ...run([stage("1", 0, 1400), stage("2", 4100, 4800)], 5000), started_at: at(0), deaths: [{ ...death, stage: "s2" }] } as unknown as Run;
  const [, young] = rowsOf(died, 5000, new Set(), deathsOf(died));
  assert.deepEqual(looks(young?.bars ?? []), [["lost", 1400, 1500], ["done", 4100, 4800]]);
});

test("a heartbeat that is older than the last record does not put the death before it", () => {
  const died = { ...run([stage("1", 0, 1800), stage("2", 1800, 4800)], 5000), started_at: at(0), deaths: [{ ...death, last_seen: at(300) }] } as unknown as Run;
  assert.deepEqual(deathsOf(died).map((one) => [one.at, one.held]), [[1800, 1]]);
});

test("two deaths in one step are two lost attempts, and nobody has taken up the second yet", () => {
  const now = 9000;
  const again = { ...death, epoch: 2, worker: "a/2/y", last_seen: at(5000), picked_up_by: null, picked_up_at: null };
  const died = { ...run([stage("1", 0, 1000), stage("2", 1000, null)], now), completed_at: null, status: "running", started_at: at(0), deaths: [death, again] } as unknown as Run;
  const [, ocr] = rowsOf(died, now, new Set(), deathsOf(died));
  assert.deepEqual(looks(ocr?.bars ?? []), [["lost", 1000, 1500], ["lost", 4000, 5000]]);
});

test("a server that says nothing of deaths has none drawn", () => {
  assert.deepEqual(deathsOf(run([stage("1", 0, 1000)], 1000)), []);
});

test("what a fork took over is no work of its own, and does not stretch its time", () => {
  const fork = { ...run([stage("1", -90_000, -80_000), stage("2", 100, 500)], 500), forked_from: "other" } as Run;
  const rows = rowsOf(fork, 500, new Set());
  assert.deepEqual(rows.map((row) => [row.taken, looks(row.bars)]), [[true, []], [false, [["queued", 0, 100], ["done", 100, 500]]]]);
  assert.deepEqual([axisOf(fork, 500).from, workedOf(fork, 500)], [0, 400]);
});
