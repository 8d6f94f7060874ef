import { strict as assert } from "node:assert";
import { test } from "node:test";
import { draftOf, kindOf, placeIn, problemAt, read, type Schema } from "./schema_form";

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

test("an object that may be missing is missing until something is said of it, whatever its members begin with", () => {
  const schema: Schema = {
    type: "object",
    properties: { to: { type: ["object", "null"], properties: { street: { type: "string" }, zip: { type: "integer", default: 12345 }, fast: { type: "boolean", default: true } } } },
  };
  const draft = draftOf(schema) as { to: Record<string, string | boolean> };
  assert.deepEqual(read(schema, draft).value, {});
  assert.deepEqual(read(schema, { to: { ...draft.to, street: "Storgatan" } }).value, { to: { street: "Storgatan", zip: 12345, fast: true } });
  assert.deepEqual(read(schema, { to: { ...draft.to, fast: false } }).value, { to: { zip: 12345, fast: false } });
});

test("what is typed as JSON is checked like a field, with its place", () => {
  const line: Schema = { type: "object", properties: { item: { type: "string" }, pieces: { type: "integer", minimum: 0 }, color: { type: "string", enum: ["Red", "Green"] } }, additionalProperties: false };
  const alternative = (type: number, value: Schema): Schema => ({ type: "object", properties: { type: { const: type }, value }, additionalProperties: false });
  const schema: Schema = {
    type: "object",
    properties: {
      lines: { type: "array", items: { $ref: "#/$defs/Line" } },
      extras: { type: "object", additionalProperties: { type: "integer" } },
      pay: { oneOf: [alternative(0, { type: "object", properties: { number: { type: "string" } }, additionalProperties: false }), alternative(1, { type: "integer" })] },
    },
    $defs: { Line: line },
  };
  const problems = (name: string, typed: string) => read(schema, { ...(draftOf(schema) as object), [name]: typed }).problems;
  for (const [name, typed, place] of [
    ["lines", '[{"item": "rope"}, {"pieces": -1}]', "$.lines[1].pieces"],
    ["lines", '[{"itm": "rope"}]', "$.lines[0].itm"],
    ["lines", '[{"color": "Blue"}]', "$.lines[0].color"],
    ["lines", '{"item": "rope"}', "$.lines"],
    ["extras", '{"a": 1.5}', "$.extras.a"],
    ["extras", '{"a": 9007199254740993}', "$.extras.a"], // it would be sent as another number
    ["pay", '{"type": 1, "value": "x"}', "$.pay.value"],
    ["pay", '{"type": 0, "value": {"nr": ""}}', "$.pay.value.nr"],
  ] as const) assert.deepEqual(Object.keys(problems(name, typed)), [place], typed);
  for (const [name, typed] of [
    ["lines", '[{"item": "rope", "pieces": 2, "color": "Red"}]'],
    ["extras", '{"a": 1}'],
    ["pay", '{"type": 1, "value": 3}'],
    ["pay", '{"type": 7}'], // the server says that
  ] as const) assert.deepEqual(problems(name, typed), {}, typed);
});

test("what is wrong inside a field is said at it", () => {
  const problems = { "$.lines[1].pieces": "too many", "$.line": "short" };
  assert.equal(problemAt(problems, "$.lines"), "too many");
  assert.equal(problemAt(problems, "$.line"), "short");
  assert.equal(problemAt(problems, "$.lin"), undefined);
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
