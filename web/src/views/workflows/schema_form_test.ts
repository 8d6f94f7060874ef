import { strict as assert } from "node:assert";
import { test } from "node:test";
import { draftOf, kindOf, placeIn, read, type Schema } from "./schema_form";

// As the server describes a struct.
const order: Schema = {
  type: "object",
  properties: {
    item: { type: "string" },
    pieces: { type: "integer", minimum: 0, maximum: 65535, default: 1 },
    size: { type: "string", enum: ["Small", "Large"], default: "Large" },
    gift: { type: "boolean", default: false },
    discount: { type: "number", default: 0.5 },
    note: { type: ["string", "null"] },
    to: { type: ["object", "null"], properties: { street: { type: "string" } } },
    tags: { type: "array" },
  },
};

test("a form begins with the program's defaults, and sends them as they are", () => {
  const draft = draftOf(order);
  assert.deepEqual(read(order, draft), {
    value: { pieces: 1, size: "Large", gift: false, discount: 0.5 },
    problems: {},
  });
});

test("what is typed becomes values of the right type, and what is left empty is left out", () => {
  const draft = { ...(draftOf(order) as object), item: "rope", pieces: "3", tags: '["red"]', to: { street: "Storgatan" } };
  assert.deepEqual(read(order, draft).value, {
    item: "rope",
    pieces: 3,
    size: "Large",
    gift: false,
    discount: 0.5,
    to: { street: "Storgatan" },
    tags: ["red"],
  });
});

test("each field says by itself what is wrong with it", () => {
  const wrong = (name: string, value: string) => read(order, { ...(draftOf(order) as object), [name]: value }).problems;
  for (const [name, value] of [["pieces", "three"], ["pieces", "1.5"], ["pieces", "-1"], ["pieces", "65536"], ["discount", "x"], ["tags", "[red]"]] as const) {
    assert.deepEqual(Object.keys(wrong(name, value)), [`$.${name}`], value);
  }
  assert.deepEqual(Object.keys(read({ type: "integer" }, "99999999999999999999").problems), ["$"]);
});

test("what has no field of its own is JSON, and a workflow without input has none", () => {
  assert.equal(kindOf({}), "json");
  assert.equal(kindOf({ type: ["boolean", "null"] }), "json");
  assert.equal(kindOf({ type: "null" }), "nothing");
  assert.equal(read({ type: "null" }, "").value, undefined);
  assert.equal(read({ type: "string" }, "july").value, "july");
});

test("the server's refusal is put beside its field", () => {
  assert.equal(placeIn("the input of SELL: $.to.street: expected a string, found a number"), "$.to.street");
  assert.equal(placeIn("pieces: at most 100"), undefined);
});
