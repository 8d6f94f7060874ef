// api_test.mjs — the page was generated from web/openapi.json: the server still has every operation and field of it.
import { readFileSync } from "node:fs";
import { assert, test } from "./harness.mjs";

const kept = JSON.parse(readFileSync(new URL("../../web/openapi.json", import.meta.url), "utf8"));

function fieldsMissing(wanted, offered, where) {
  if (!wanted || !offered || typeof wanted !== "object") return [];
  const real = (schema) => (schema.anyOf ?? schema.oneOf ?? []).find((one) => one.type !== "null") ?? schema;
  const [want, offer] = [real(wanted), real(offered)];
  if (want.items) return fieldsMissing(want.items, offer.items, `${where}[]`);
  return Object.entries(want.properties ?? {}).flatMap(([name, schema]) => {
    if (!offer.properties) return []; // an object whose fields are not described
    const other = offer.properties[name];
    return other === undefined ? [`${where}.${name}`] : fieldsMissing(schema, other, `${where}.${name}`);
  });
}

test("the server offers every operation and field that the page was generated from", async (page, { server }) => {
  const told = await server.get("/openapi.json");
  const missing = Object.entries(kept).flatMap(([name, operation]) => {
    const [method, path] = name.split(" ");
    const offered = told.paths[path]?.[method.toLowerCase()];
    if (!offered) return [name];
    const success = Object.entries(offered.responses).find(([status]) => /^2/.test(status))?.[1];
    return fieldsMissing(operation.answer, success?.content?.["application/json"]?.schema, name);
  });
  assert(missing.length === 0, `run node web/tools/client.mjs ${server.url}/openapi.json; missing: ${missing.join(", ")}`);
  await page.goto("/");
});
