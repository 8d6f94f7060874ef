import { strict as assert } from "node:assert";
import { test } from "node:test";
import { partsOfCost } from "./cost_parts";

test("money is shown as it is, and never as JSON", () => {
  const cost = { money: { USD: "0.000015", SEK: "12.5" }, tokens_in: 800, tokens_out: 0, time_ms: 1500, counters: { fetches: 3, embeddings: 0 } };
  assert.deepEqual(partsOfCost(cost), [["0.000015", "USD"], ["12.5", "SEK"], ["800", "tokens in"], ["1.50 s", ""], ["3", "fetches"]]);
  assert.deepEqual(partsOfCost({}), []);
});
