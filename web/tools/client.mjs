// client.mjs — writes src/api/schema.ts from openapi.json: the type of every operation that the page may call.
//
//   node tools/client.mjs                     from the openapi.json that is kept here
//   node tools/client.mjs http://127.0.0.1:8080/openapi.json   takes a newer one from a running server first
import { readFile, writeFile } from "node:fs/promises";
import { slim, typesOf } from "./openapi.mjs";

const here = new URL("../", import.meta.url);
const kept = new URL("openapi.json", here);

const from = process.argv[2];
if (from) {
  const answer = await fetch(from);
  if (!answer.ok) throw new Error(`${from} answered ${answer.status}`);
  await writeFile(kept, slim(await answer.json()));
}
await writeFile(new URL("src/api/schema.ts", here), typesOf(JSON.parse(await readFile(kept, "utf8"))));
