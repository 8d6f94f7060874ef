import { strict as assert } from "node:assert";
import { test } from "node:test";
import { countStates, fieldOf, partsOf, shapeOf } from "./shape";
import type { Run } from "./timeline_model";

const stage = (path: string, kind = "step", status = "succeeded") => ({ path, kind, status, stage_key: `s${path}` });
const run = (...stages: object[]) => ({ stages }) as unknown as Run;

test("stages stand inside the nearest one that there is, in the order of the code", () => {
  const [first, fan, last] = shapeOf(run(stage("10"), stage("2", "fan"), stage("2.10"), stage("2.9"), stage("1")));
  assert.equal(first?.stage.path, "1");
  assert.deepEqual(fan?.inside.map((one) => one.stage.path), ["2.9", "2.10"]);
  assert.equal(fan?.beside, true);
  assert.equal(last?.stage.path, "10");
});
test("a branch whose own group has no record is the fan's", () => {
  const [fan] = shapeOf(run(stage("4", "fan"), stage("4.2.1")));
  assert.equal(fan?.inside[0]?.stage.path, "4.2.1");
});
test("a guard without a place comes first", () => {
  assert.deepEqual(shapeOf(run(stage("1"), stage("guard"))).map((one) => one.stage.path), ["guard", "1"]);
});
test("undos come last, in their turn and not by the place of their step", () => {
  const undo = (path: string, position: number) => ({ ...stage(path), position });
  const shapes = shapeOf(run(undo("undo:4.2", 8), undo("undo:10", 7), stage("4", "fan"), stage("4.2"), stage("10"), stage("guard")));
  assert.deepEqual(shapes.map((one) => one.stage.path), ["guard", "4", "10", "undo:10", "undo:4.2"]);
});
test("a long row keeps its beginning and its end, and nothing is lost between them", () => {
  const shapes = shapeOf(run(...Array.from({ length: 8000 }, (_, at) => stage(String(at + 1)))));
  const parts = partsOf(shapes, 12);
  assert.equal(parts.length, 9);
  assert.equal(parts.reduce((sum, part) => sum + part.shapes.length, 0), 8000);
  assert.equal(parts.filter((part) => part.folded).length, 1);
  assert.equal(partsOf(shapes.slice(0, 12), 12).length, 12);
});
test("a field has room for all of them in its width", () => {
  for (const count of [1, 8, 13, 500, 8000]) {
    const { columns, rows, size } = fieldOf(count, 320);
    assert.ok(columns * rows >= count && columns * size <= 320 && size >= 2, `${count}: ${columns}×${rows} of ${size}`);
  }
});
test("states are counted, the commonest first", () => {
  assert.deepEqual(countStates(shapeOf(run(stage("1"), stage("2", "step", "failed"), stage("3")))), [["succeeded", 2], ["failed", 1]]);
});
