// run.mjs BELAY [REPORT] [ONLY] — the tests of the page, in a real browser against the real server.
//
// Wants node, chromium and the packages of web/ (tools/setup page browser). REPORT gets the counts for tools/run-tests.
import { Samples, Web } from "./papers.mjs";
import { Server } from "./server.mjs";
import { chromiumPath, runAll } from "./harness.mjs";
import "./frame_test.mjs";
import "./uploads_test.mjs";
import "./papers_test.mjs";
import "./review_test.mjs";
import "./busy_test.mjs";
import "./runs_test.mjs";
import "./crash_test.mjs";
import "./loss_test.mjs";
import "./truth_test.mjs";
import "./keys_test.mjs";
import "./operations_test.mjs";
import "./fan_test.mjs";
import "./list_test.mjs";
import "./api_test.mjs";
import "./docs_test.mjs";
import "./sign_test.mjs";
import "./shape_test.mjs";
import "./daily_test.mjs";
import "./states_test.mjs";
import "./einvoice_test.mjs";
import "./export_test.mjs";
import "./load_test.mjs";
import "./budget_test.mjs";

const [, , program, report = "", only = ""] = process.argv;
if (!program) {
  console.error("usage: node tests/e2e/run.mjs BELAY [REPORT] [ONLY]");
  process.exit(2);
}
if (!chromiumPath()) {
  console.error("FAILED: the tests of the page want Chromium, and there is none here. `tools/setup browser` installs it;\nBELAY_CHROMIUM=PATH names one that is elsewhere; -DBELAY_TEST_PAGE=OFF leaves these tests out.");
  process.exit(1);
}
// Before ctest's own limit, which ends only this program and leaves the server and its folder behind.
const kLongestMs = 25 * 60_000;
setTimeout(() => {
  console.error(`FAILED: the tests of the page were not done in ${kLongestMs / 60_000} minutes`);
  process.exit(1);
}, kLongestMs).unref();

const server = new Server(program, ["--fetch-allow", "127.0.0.0/8", "--fetch-interval", "1ms"]); // the web of these tests is here
const web = new Web();
let samples;
let failures = 1;
try {
  samples = new Samples(program);
  await web.start();
  await server.start();
  failures = await runAll({ base: () => server.url, report, only, world: { server, samples, web } });
} finally {
  await server.end();
  web.end();
  samples?.end();
}
process.exit(failures > 0 ? 1 : 0);
