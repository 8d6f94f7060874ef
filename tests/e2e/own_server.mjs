// own_server.mjs PROGRAM [REPORT] [ONLY] — the page of examples/shop, compiled against an installed Belay, in a real browser.
import { chromiumPath, runAll } from "./harness.mjs";
import { Server } from "./server.mjs";
import "./own_server_test.mjs";

const [, , program, report = "", only = ""] = process.argv;
if (!program || !chromiumPath()) {
  console.error(program ? "FAILED: no Chromium here; `tools/setup browser` installs it, BELAY_CHROMIUM=PATH names another" : "usage: node tests/e2e/own_server.mjs PROGRAM [REPORT] [ONLY]");
  process.exit(2);
}
const server = new Server(program);
let failures = 1;
try {
  await server.start();
  failures = await runAll({ base: () => server.url, report, only, world: { server } });
} finally {
  await server.end();
}
process.exit(failures > 0 ? 1 : 0);
