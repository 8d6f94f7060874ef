import { test } from "node:test";
import assert from "node:assert/strict";
import { plain, readReason, reasonWords, remedyOf } from "./reasons";

test("what the rules doubt is told in words, with the names of the fields", () => {
  assert.equal(reasonWords("items_do_not_sum_to_total"), "The items do not add up to the total");
  assert.equal(reasonWords("orgnr_not_found"), "Org. number: not found");
  assert.equal(reasonWords("seller_name not found"), "Seller: not found");
  assert.equal(reasonWords("total_uncertain"), "Total: the reading is not sure of it");
  assert.equal(reasonWords("net 10.00 and tax 2.50 do not sum to the total 13.00"), "Net 10.00 and tax 2.50 do not sum to the total 13.00");
});

test("two readings are told apart, and the other one can be taken", () => {
  assert.deepEqual(readReason("total_read_two_ways: 12.00 and 17,00"), { kind: "twoWays", field: "total", one: "12.00", other: "17,00" });
  assert.deepEqual(remedyOf("total_read_two_ways: 12.00 and 17,00"), { take: { field: "total", value: "17.00" } });
  assert.deepEqual(remedyOf("date_read_two_ways: 2024-03-12 and 2024-03-17"), { take: { field: "date", value: "2024-03-17" } });
  assert.equal(remedyOf("row 3_read_two_ways: 12.00 and 17.00"), null);
});

test("what the page says otherwise than the XML is told from what is not on it", () => {
  assert.deepEqual(readReason("grand_total_differs: 119.00 in the XML, 191.00 on the page"), { kind: "differs", field: "grand_total", one: "119.00", other: "191.00" });
  assert.deepEqual(readReason("seller_name_differs: Acme GmbH in the XML, and not on the page"), { kind: "differs", field: "seller_name", one: "Acme GmbH", other: null });
});

test("an amount is taken as the server writes amounts", () => {
  assert.equal(plain("1.249,50"), "1249.50");
  assert.equal(plain("1 249.50"), "1249.50");
  assert.equal(plain("-12,00"), "-12.00");
  assert.equal(plain("2024-03-12"), "2024-03-12");
});
