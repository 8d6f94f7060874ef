import { strict as assert } from "node:assert";
import { test } from "node:test";
import { limitOf } from "./budget_limit";

test("a limit is an amount with its unit; nothing is once; anything else is none", () => {
  assert.deepEqual(limitOf(""), {});
  assert.deepEqual(limitOf(" 25 usd "), { amount: "25", currency: "USD" });
  assert.deepEqual(limitOf("0.50EUR"), { amount: "0.50", currency: "EUR" });
  assert.deepEqual(limitOf("5000 tokens"), { tokens: 5000 });
  for (const none of ["25", "USD", "-5 USD", "1,5 USD", "1.5 tokens", "25 dollars"]) assert.equal(limitOf(none), undefined, none);
});
