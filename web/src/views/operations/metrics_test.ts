import { strict as assert } from "node:assert";
import { test } from "node:test";
import { parseMetrics, valueOf } from "./metrics";
import { scaleOf } from "./scale";

const told = `# HELP belay_runs Runs in the store by status.
# TYPE belay_runs gauge
belay_runs{status="failed"} 8
belay_runs{status="queued"} 1.5e+3
belay_http_connections 3
belay_odd{path="a\\"b",x="y"} 1
`;

test("numbers are found by name and labels, and are added up without them", () => {
  const samples = parseMetrics(told);
  assert.equal(valueOf(samples, "belay_runs", { status: "failed" }), 8);
  assert.equal(valueOf(samples, "belay_runs"), 1508);
  assert.equal(valueOf(samples, "belay_odd", { x: "y" }), 1);
  assert.equal(valueOf(samples, "belay_missing"), undefined);
});

test("a scale ends at a round number that is not below the highest column", () => {
  assert.deepEqual(scaleOf(0), [0, 1]);
  assert.deepEqual(scaleOf(3), [0, 2, 4]);
  assert.deepEqual(scaleOf(19), [0, 10, 20]);
  assert.deepEqual(scaleOf(1234), [0, 1000, 2000]);
});
