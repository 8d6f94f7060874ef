// run.mjs BELAY [REPORT] [ONLY] — the tests of the page, in a real browser against the real server.
//
// Wants node, chromium and the packages of web/ (tools/setup page browser). REPORT gets the counts for tools/run-tests.
import { Server } from "./server.mjs";
import { chromiumPath, runAll } from "./harness.mjs";
import "./uploads_test.mjs";
import "./runs_test.mjs";
import "./fan_test.mjs";
import "./api_test.mjs";

const [, , program, report = "", only = ""] = process.argv;
if (!program) {
  console.error("usage: node tests/e2e/run.mjs BELAY [REPORT] [ONLY]");
  process.exit(2);
}
if (!chromiumPath()) {
  console.error("there is no chromium here: tools/setup browser installs it");
  process.exit(1);
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
