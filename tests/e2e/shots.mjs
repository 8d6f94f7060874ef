// shots.mjs BELAY FOLDER [ONLY] — pictures of every view for docs/images, from the real server with sample papers.
//
// Each view in light, dark and on a phone; then the states that one seldom sees: empty, loading, failed, disconnected.
// Run it on a quiet machine and look at what it made: make screenshots.
import { looks, openCamera } from "./camera.mjs";
import { Samples, Web } from "./papers.mjs";
import { Server } from "./server.mjs";
import { fill } from "./world.mjs";

const [, , program, folder, only = ""] = process.argv;
const { browser, shoot, end } = await openCamera(folder, only);

// A running server with a world (BELAY_SHOT_SERVER) saves the time of making one.
const running = process.env.BELAY_SHOT_SERVER;
const server = new Server(program, ["--fetch-allow", "127.0.0.0/8", "--fetch-interval", "1ms"]);
const web = new Web();
let samples;
if (running) server.url = running;
else {
  samples = new Samples(program);
  await web.start();
  await server.start();
  await fill(server, browser, samples, web);
}
// A scan whose server is killed in the middle of its pages: the crash that the pictures show.
if (!running) {
  const scan = await server.upload("crashed-scan.pdf", Buffer.concat([samples.bytes("invoice-de-1-worn.pdf"), Buffer.from("\n% crash")]), "application/pdf", "invoice");
  await server.until(`/api/runs/${scan.workflow_run_id}`, (one) => one.stages.some((stage) => /^ocr_page_/.test(stage.stage_key) && stage.status === "succeeded") || one.status === "succeeded", 120_000);
  await server.kill();
  await new Promise((resolve) => setTimeout(resolve, 2500)); // so that there is a gap to see
  await server.start();
  await server.until(`/api/runs/${scan.workflow_run_id}`, (one) => ["succeeded", "failed"].includes(one.status), 300_000);
}
const uploads = (await server.get("/api/uploads?limit=100")).uploads;
const named = (name) => uploads.find((one) => one.name === name);
const documents = (await server.get("/api/documents?limit=50")).documents;
const invoice = await server.get(`/api/runs/${named("rechnung-scan.pdf").workflow_run_id}`);
const page2 = invoice.stages.find((stage) => stage.stage_key === "ocr_page_2") ?? invoice.stages[0];
const card = named("card-october.pdf").file_id;
const candidates = (await server.get(`/api/card-invoices/${card}/candidates`)).candidates;
const line = candidates.find((one) => one.candidates.length > 0)?.line_id ?? "";
const crashed = named("crashed-scan.pdf")?.workflow_run_id ?? invoice.id;
const views = {
  crash: [`/runs/${crashed}`, undefined, { viewport: { width: 1200, height: 1000 } }], // down to the time axis
  shape: [`/runs/${crashed}?as=shape`, undefined, { viewport: { width: 1200, height: 940 } }],
  review: ["/review"],
  export: ["/export"],
  settings: ["/settings"],
  workflows: ["/workflows"],
  uploads: ["/"],
  runs: ["/runs"],
  run: [`/runs/${invoice.id}?stage=${page2.path}`],
  failed: [`/runs/${named("half-a-picture.png").workflow_run_id}?stage=1`],
  receipts: ["/receipts"],
  receipt: [`/receipts/${named("kontorsvaror.png").file_id}`],
  invoice: [`/invoices/${named("invoice-october.pdf").file_id}`],
  statements: ["/statements"],
  statement: [`/statements/${card}?line=${line}`],
  documents: ["/documents"],
  document: [`/documents/${documents[0]?.id}`],
  search: ["/documents?q=rope%20anchor"],
  operations: ["/operations"],
};
for (const look of Object.keys(looks)) {
  for (const [name, [path, act, more]] of Object.entries(views)) await shoot(server.url, look, name, path, act, look === "phone" ? {} : more);
}
// In its other languages; and the page before the page.
for (const [locale, name] of [["sv-SE", "uploads-sv"], ["de-DE", "uploads-de"]]) await shoot(server.url, "light", name, "/", undefined, { locale });
await shoot(server.url, "light", "sign-in", "", async (page) => {
  await page.route("**/api/session", (route) => route.fulfill({ json: { signed_in: false, token_needed: true, organization_id: null, token: null, expires_at: null, csrf: null, owner: false, organizations: [] } }));
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
});
// Seldom seen: nothing there yet, still coming, refused, cut off.
if (process.env.BELAY_SHOT_STATES) {
  await shoot(server.url, "light", "state-loading-run", "", async (page) => {
    await page.route("**/api/runs/**", () => {});
    await page.goto(`/runs/${invoice.id}`);
    await page.waitForTimeout(800);
  });
  await shoot(server.url, "light", "state-failed-list", "", async (page) => {
    await page.route("**/api/uploads*", (route) => route.fulfill({ status: 500, json: { error: { code: "internal", message: "a fault of ours; the log has it under the request id" } } }));
    await page.goto("/");
    await page.waitForTimeout(800);
  });
  for (const path of ["/", "/runs", "/receipts", "/statements", "/documents", "/operations"])
    await shoot(server.url, "light", `state-empty${path.replace("/", "-")}`, "", async (page) => {
      await page.route("**/api/**", (route) => {
        const noun = new URL(route.request().url()).pathname.split("/")[2];
        return ["live", "activity"].includes(noun) ? route.fallback() : route.fulfill({ json: { [noun]: [], uploads: [], runs: [], card_invoices: [], invoices: [], receipts: [], messages: [], causes: [], results: [], complete: true, next_cursor: null } });
      });
      await page.goto(path);
      await page.waitForTimeout(900);
    });
  await shoot(server.url, "light", "state-lost", "", async (page) => {
    await page.routeWebSocket("**/api/live*", (ws) => ws.close());
    await page.goto("/");
    await page.waitForTimeout(1500);
  });
}
await end();
if (!running) {
  await server.end();
  web.end();
  samples.end();
}
