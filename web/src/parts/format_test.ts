import { strict as assert } from "node:assert";
import { test } from "node:test";
import { bytes, date, duration, money, reason, since, sumMoney, until } from "./format";

test("money is shown with its digits as they are, however large", () => {
  assert.equal(money("1234567890123456789.5", "SEK"), "1,234,567,890,123,456,789.50 SEK");
  assert.equal(money("-12", null), "−12.00");
  assert.equal(money(null), "");
});
test("a sum of money is exact", () => {
  assert.equal(sumMoney(["0.10", "0.20", "-0.05", null]), "0.25");
  assert.equal(sumMoney(["-1", "0.5"]), "-0.50");
});
test("a day is the same day everywhere", () => {
  assert.equal(date("2024-03-12"), "Mar 12, 2024");
});
test("durations and sizes are short", () => {
  assert.equal(duration(0.2), "<1 ms");
  assert.equal(duration(65_000), "1 min 5 s");
  assert.equal(duration(119_900), "1 min 59 s");
  assert.equal(duration(7_200_000), "2 h");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(1_500_000), "1.5 MB");
});
test("a row has room for why a step failed, not for which one", () => {
  assert.equal(reason("step `classify-image` failed after 1 attempt: truncated: the image ends before its last line"), "truncated: the image ends before its last line");
  assert.equal(reason("the worker died"), "the worker died");
});
test("what happened is not told to come, and what comes is not told to have happened", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  assert.equal(since("2026-03-01T12:00:02Z", now), "now");
  assert.equal(until("2026-03-01T11:59:58Z", now), "now");
  assert.match(since("2026-03-01T11:00:00Z", now), /1\s?h.* ago/);
  assert.match(until("2026-03-01T13:00:00Z", now), /in 1\s?h/);
});
