// list_test.mjs — a list of 100,000 files is scrolled, jumped through and filtered: no task of the page may take longer
// than 50 ms.
//
// What the server would say of so many files is played to the page, as in fan_test.mjs; tests/e2e/many.mjs has them in
// a real database.
import { assert, fileRow, test } from "./harness.mjs";
import { picture } from "./pictures.mjs";
import { shortTasks, traced } from "./trace.mjs";

const kRows = 100_000;
const kinds = [["image", "IMAGE_CLASSIFICATION"], ["receipt", "WF1_RECEIPT"], ["invoice", "WF2_PDF_SPLIT"]];

function upload(n, began) {
  const at = new Date(began - n * 1000).toISOString();
  const [type, key] = kinds[n % 3];
  const [failed, photo] = [n % 10 === 7, type === "image"];
  const id = `${n.toString(16).padStart(8, "0")}-5f0e-4c5d-9a46-27f1c9f0d1aa`;
  return { upload_event_id: `up_${id}`, organization_id: "default", name: `${n % 1000 === 3 ? "rare" : "scan"}-${n}.png`, r2_key: `default/${id}/scan-${n}.png`, r2_etag: id.replaceAll("-", ""), r2_size: 10_000 + n, content_type: "image/png", workflow_id: `run_${id}`, status: failed ? "classification_failed" : photo ? "classified" : "completed", classification_model: photo ? "local" : null, classification_top_label: photo ? "wall clock" : null, classification_top_score: photo ? 0.87 : null, classification_json: photo ? JSON.stringify([{ label: "wall clock", score: 0.87 }, { label: "clock", score: 0.1 }]) : null, classification_error: failed ? "the picture ends in the middle" : null, created_at: at, updated_at: at, completed_at: at, file_id: id, workflow_type: type, workflow_key: key, workflow_run_id: `run_${id}`, label: photo && !failed ? "wall clock" : null, score: photo && !failed ? 0.87 : null };
}

// Plays the server's part. `world.page`: rows a page, so that holding all of them does not take minutes.
async function play(page, world) {
  const began = Date.now();
  const paper = { id: "x", merchant: "Bokhandeln Lyktan", date: "2026-09-14", total: "369.00", currency: "SEK", seller_name: "Nordic Parts AB", issue_date: "2026-09-14", grand_total: "1250.00" };
  const image = picture(96);
  await page.route(/\/api\/(receipts|invoices)\//, (route) => route.fulfill({ json: paper }));
  await page.route(/\/api\/files\//, (route) => route.fulfill({ body: image, contentType: "image/png" }));
  await page.route(/\/api\/uploads/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const every = asked.get("state") === "failed" ? 10 : asked.get("q") ? 1000 : 1;
    const first = every === 10 ? 7 : every === 1000 ? 3 : 0;
    const from = Number(asked.get("cursor") ?? 0);
    const wanted = world.page || Number(asked.get("limit"));
    const uploads = [];
    for (let n = from; n < from + wanted && first + n * every < kRows; n++) uploads.push(upload(first + n * every, began));
    const next = first + (from + wanted) * every < kRows ? String(from + wanted) : null;
    return route.fulfill({ json: { uploads, next_cursor: next } });
  });
}

test("no task above 50 ms while 100,000 files are scrolled, jumped through and filtered", async (page) => {
  const world = { page: 0 };
  await play(page, world);
  const held = () => page.evaluate(() => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0));
  const bottom = () => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const more = (than) => page.waitForFunction((old) => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0) > old, than);
  await page.goto("/");
  await fileRow(page, "scan-0.png").waitFor();

  await shortTasks(async (attempt) => {
    const first = await traced(page, async () => {
      for (let n = 0; n < 15; n++) {
        const now = await held();
        await bottom();
        if (now < kRows) await more(now);
      }
    });
    world.page = 5000;
    for (let now = await held(); now < kRows; now = await held()) {
      await bottom();
      await more(now);
    }
    world.page = 0;
    const second = await traced(page, async () => {
      // The wheel, the scroll bar dragged to and fro, and the keys.
      await page.mouse.move(640, 600);
      for (let n = 0; n < 30; n++) await page.mouse.wheel(0, n % 2 ? -900 : 1400);
      await page.evaluate(async () => {
        const height = document.documentElement.scrollHeight;
        for (let n = 0; n < 100; n++) {
          scrollTo(0, ((n * 7919) % 100) * (height / 100));
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }
        scrollTo(0, 0);
      });
      await fileRow(page, "scan-0.png").getByRole("link").focus();
      for (let n = 0; n < 5; n++) {
        await page.keyboard.press("End");
        await page.waitForFunction((last) => document.activeElement?.closest("[data-row]")?.getAttribute("aria-posinset") === String(last), kRows);
        await page.keyboard.press("Home");
        await page.waitForFunction(() => document.activeElement?.closest("[data-row]")?.getAttribute("aria-posinset") === "1");
      }
      await page.getByLabel("State").selectOption("failed");
      await fileRow(page, "scan-7.png").waitFor();
      await page.waitForFunction(() => !document.querySelector(".upload .tone-ok"));
      await page.getByLabel("State").selectOption("");
      await fileRow(page, "scan-0.png").waitFor();
      await page.getByRole("searchbox", { name: "Search by name" }).pressSequentially("rare");
      await fileRow(page, "rare-1003.png").waitFor();
      await page.getByRole("searchbox", { name: "Search by name" }).fill("");
      await fileRow(page, "scan-0.png").waitFor();
    });
    if (attempt === 0) assert((await page.locator(".upload").count()) < 60, "only rows on the screen exist");
    return [first, second].sort((a, b) => b.longest - a.longest)[0];
  });
});
