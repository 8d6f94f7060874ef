// load_test.mjs — 500 files are dropped at once and worked on: the page stays quick, and the server answers it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, removeFolder } from "./folders.mjs";
import { assert, equal, test } from "./harness.mjs";
import { picture } from "./pictures.mjs";
import { shortTasks, traced } from "./trace.mjs";

const kFiles = 500;
const kAnswerMs = 300; // issue 23, point 2

// How long the page waits for what it asks for, as the page sees it.
async function watchAnswers(page) {
  await page.evaluate(() => {
    window.answers = [];
    window.watching = true;
    const ask = async () => {
      while (window.watching) {
        for (const path of ["/api/uploads?limit=100", "/api/runs?limit=100", "/api/session"]) {
          const began = performance.now();
          await fetch(path).then((answer) => answer.text());
          window.answers.push(performance.now() - began);
        }
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    };
    window.watched = ask();
  });
  return async () => {
    const all = await page.evaluate(async () => {
      window.watching = false;
      await window.watched;
      return window.answers;
    });
    all.sort((a, b) => a - b);
    return all;
  };
}

test("500 files dropped at once: no task above 50 ms, lists answer within 300 ms, and all of them arrive", async (page, { server }) => {
  let round = 0;
  const folder = newFolder("many");
  await page.goto("/");
  await page.getByText("Live", { exact: true }).waitFor();
  await shortTasks(async () => {
    const name = `many-${Date.now()}-${round++}`;
    // Each is another picture, or they would all share one run. On the disk, as a person has them: what is handed over in
    // memory is decoded on the page's own thread, in one task of a second.
    const files = Array.from({ length: kFiles }, (_, n) => join(folder, `${name}-${n}.png`));
    for (const [n, file] of files.entries()) writeFileSync(file, Buffer.concat([picture(), Buffer.from(`${name} ${n}`)]));
    const answers = await watchAnswers(page);
    const told = await traced(page, async () => {
      await page.locator("input[data-kind=image]").setInputFiles(files);
      await page.getByText(new RegExp(`^\\d+ of ${kFiles} sent$`)).first().waitFor();
      await server.until(`/api/uploads?q=${name}&limit=1`, (list) => list.total === kFiles, 300_000);
      await page.waitForTimeout(3000); // and while they are worked on
    });
    const all = await answers();
    const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
    console.log(`    ${all.length} answers while ${kFiles} files came and were worked on: half within ${at(0.5).toFixed(0)} ms, 95 of 100 within ${at(0.95).toFixed(0)} ms, the longest ${all.at(-1).toFixed(0)} ms`);
    assert(at(0.95) <= kAnswerMs, `95 of 100 answers within ${at(0.95).toFixed(0)} ms, not ${kAnswerMs}`);
    return told;
  });
  equal(await page.locator(".sending-problem").count(), 0, "refused");
  removeFolder(folder);
});
