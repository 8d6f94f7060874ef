// crash_test.mjs — a run that was killed in the middle of `ocr`: what its page says and draws of that.
import { accessible, assert, equal, test } from "./harness.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);
const isOcr = (stage) => /^ocr_page_\d+$/.test(stage.stage_key);

// Gives a run whose server was killed with kill -9 while pages were in `ocr` and others were read, when, and since when
// there was another.
async function killedInOcr(server, samples) {
  for (let tries = 0; tries < 5; tries++) {
    const bytes = Buffer.concat([samples.bytes("invoice-de-1-worn.pdf"), Buffer.from(`\n% ${tries}`)]);
    const taken = await server.upload(`killed-${tries}.pdf`, bytes, "application/pdf", "invoice");
    const path = `/api/runs/${taken.workflow_run_id}`;
    const inOcr = (run) => run.stages.some((stage) => isOcr(stage) && stage.status === "succeeded") && run.stages.some((stage) => isOcr(stage) && stage.status === "running");
    const seen = await server.until(path, (run) => over(run) || inOcr(run));
    if (over(seen)) continue; // it was quicker than we
    await server.kill();
    const at = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 1500)); // a gap that can be seen
    await server.start();
    const back = Date.now();
    const run = await server.until(path, over, 240_000);
    if (run.stages.some((stage) => isOcr(stage) && Date.parse(stage.started_at) <= at && Date.parse(stage.finished_at) > at)) return { run, at, back };
  }
  throw new Error("the server was never killed in `ocr`");
}

// A server of before does not tell of deaths; this test knows when it killed it.
function told(run, at, back) {
  if (run.deaths) return run;
  const first = Math.min(back, ...run.stages.map((stage) => Date.parse(stage.finished_at)).filter((time) => time > at)) - 1;
  return { ...run, deaths: [{ worker: "dead01", epoch: 1, last_seen: new Date(at).toISOString(), picked_up_by: "next02", picked_up_at: new Date(first).toISOString(), stage: null, charged: false, reason: "killed" }] };
}

test("a run that was killed in ocr shows the gap, who died and who went on, and what was not done twice", async (page, { server, samples }) => {
  const { run, at, back } = await killedInOcr(server, samples);
  const whole = told(run, at, back);
  if (!run.deaths) await page.route(`**/api/runs/${run.id}`, (route) => route.fulfill({ json: whole }));
  await page.goto(`/runs/${run.id}`);

  const crash = page.getByRole("region", { name: "Its worker died, and the records held" });
  await crash.getByText(/The worker died in ocr_page_\d/).waitFor();
  await crash.getByText(/Picked up, and ocr_page_\d.* begun again/).waitFor();
  await crash.getByText(/ocr_page_\d.* done again/).waitFor();
  const [death] = whole.deaths;
  await crash.getByText(`worker ${death.worker}`).waitFor();
  await crash.getByText(`worker ${death.picked_up_by}`).waitFor();
  assert(run.saved.steps > 0, "pages that were read before are not read twice");
  await crash.getByText(`${run.saved.steps} step`).first().waitFor();
  await page.getByText("1 crash", { exact: true }).waitFor();

  // The time axis: in the row of the page that was being read a bar that was torn off, the gap, and the bar of the second
  // attempt after it; in that of a page that had been read one bar, before the gap.
  const rowOf = (key) => page.locator(".stage").filter({ has: page.getByRole("button", { name: key, exact: true }) });
  const torn = rowOf(run.stages.find((stage) => isOcr(stage) && Date.parse(stage.started_at) <= at && Date.parse(stage.finished_at) > at).stage_key);
  await torn.getByText("2 attempts").waitFor({ state: "attached" });
  const box = async (what) => torn.locator(what).first().boundingBox();
  const [lost, gap, done] = [await box('.bar[data-look="lost"]'), await box(".gap"), await box('.bar[data-look="done"]')];
  assert(lost && gap && done, `lost ${lost}, gap ${gap}, done ${done}`);
  assert(lost.x < gap.x && gap.x + gap.width <= done.x + 3 && gap.width > 3, `lost at ${lost.x}, gap ${gap.x}+${gap.width}, done at ${done.x}`);
  const kept = rowOf(run.stages.find((stage) => isOcr(stage) && Date.parse(stage.finished_at) <= at).stage_key);
  equal([await kept.locator('.bar[data-look="lost"]').count(), await kept.locator('.bar[data-look="done"]').count()], [0, 1], "bars of a page that had been read");
  await page.locator(".climb-died").waitFor();
  await accessible(page);
});

// Somewhere in the reading of its last page.
function middleOf(run) {
  const last = run.stages.filter(isOcr).sort((a, b) => Date.parse(b.finished_at) - Date.parse(a.finished_at))[0];
  return [Date.parse(last.started_at) + 5, Date.parse(last.finished_at) - 5];
}

for (const [look, options] of [["in the dark", { colorScheme: "dark" }], ["on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }]])
  test(`a run that was killed in ocr is readable ${look}`, options, async (page, { server }) => {
    const all = (await server.get("/api/uploads?q=killed-")).uploads;
    assert(all.length > 0, "the run of the test before");
    const run = await server.get(`/api/runs/${all[0].workflow_run_id}`);
    await page.route(`**/api/runs/${run.id}`, (route) => route.fulfill({ json: told(run, ...middleOf(run)) }));
    await page.goto(`/runs/${run.id}`);
    await page.getByRole("region", { name: "Its worker died, and the records held" }).waitFor();
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    equal(beyond, 0, "pixels beyond the edge");
  });
