// api_test.mjs — the page's types are made from the server's description: both are still what the other says.
import { readFileSync } from "node:fs";
import { slim, typesOf } from "../../web/tools/openapi.mjs";
import { assert, test } from "./harness.mjs";

const web = new URL("../../web/", import.meta.url);
const read = (name) => readFileSync(new URL(name, web), "utf8");

// The first lines in which two texts differ: one line is one operation.
function differences(kept, told) {
  const [old, now] = [new Set(kept.split("\n")), new Set(told.split("\n"))];
  const lines = [...old].filter((line) => !now.has(line)).map((line) => `- ${line.slice(0, 160)}`);
  return [...lines, ...[...now].filter((line) => !old.has(line)).map((line) => `+ ${line.slice(0, 160)}`)].slice(0, 12);
}

test("the page's types are made from what the server describes", async (page, { server }) => {
  const wrong = differences(read("openapi.json"), slim(await server.get("/openapi.json")));
  assert(wrong.length === 0, `run node web/tools/client.mjs ${server.url}/openapi.json on this server:\n    ${wrong.join("\n    ")}`);
  assert(typesOf(JSON.parse(read("openapi.json"))) === read("src/api/schema.ts"), "src/api/schema.ts is not what web/tools/client.mjs makes of openapi.json");
  await page.goto("/");
});
