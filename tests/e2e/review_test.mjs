// review_test.mjs — daily work with papers: the queue of what needs a person, corrections, filters, many at once, exports.
import { accessible, assert, equal, says, test } from "./harness.mjs";
import { receipt } from "./papers.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);

// Receipts of a shop of the test's own, read to the end. One is asked for by `doubt` to be in a foreign currency.
async function receipts(server, browser, shop, papers) {
  const taken = [];
  for (const [index, paper] of papers.entries()) {
    const bytes = await receipt(browser, { shop, day: paper.day, rows: paper.rows });
    taken.push(await server.upload(`${shop.toLowerCase().replaceAll(" ", "-")}-${index + 1}.png`, bytes, "image/png", "receipt"));
  }
  for (const one of taken) await server.until(`/api/runs/${one.workflow_run_id}`, over);
  return taken;
}
async function doubted(server, files) {
  for (const file of files) await fetch(`${server.url}/api/receipts/${file.file_id}`, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify({ currency: "NOK" }) });
  // A receipt that was read without doubt is completed; one that was approved and reopened with a doubt is to be reviewed.
  for (const file of files) {
    await fetch(`${server.url}/api/receipts/${file.file_id}/approve`, { method: "POST" });
    await fetch(`${server.url}/api/receipts/${file.file_id}/reopen`, { method: "POST" });
  }
}

test("what needs a person is one queue: counted, approved by a key, undone, and done", async (page, { server, browser }) => {
  const mine = await receipts(server, browser, "Granskas Bod", [{ day: "2026-05-02", rows: [["Tidning", 45]] }, { day: "2026-05-03", rows: [["Penna", 19]] }]);
  await doubted(server, mine);
  const before = (await server.get("/api/review")).total;
  assert(before >= 2, `${before} to review`);
  await page.goto(`/review?paper=${mine[1].file_id}`);
  await page.getByRole("heading", { level: 1, name: /Granskas Bod/i }).waitFor();
  await page.getByRole("link", { name: /^Review/ }).getByText(String(before)).waitFor();
  await accessible(page);

  await says(page, "Approved.", () => page.keyboard.press("a"));
  await server.until("/api/review", (told) => told.total === before - 1);
  await page.waitForFunction((id) => !location.search.includes(id), mine[1].file_id);
  await says(page, "The approval is taken back.", () => page.getByRole("button", { name: "Undo" }).click());
  await server.until("/api/review", (told) => told.total === before);

  await page.getByRole("region", { name: "Review" }).getByText(`of ${before}`).waitFor();
  const first = page.url();
  await page.keyboard.press("n");
  await page.waitForFunction((url) => location.href !== url, first);
  await page.keyboard.press("p");
  await page.waitForURL(first);
});

test("a wrong line is corrected, one is added, one removed, and the receipt is booked as it is now", async (page, { server, browser }) => {
  const [mine] = await receipts(server, browser, "Radernas Hus", [{ day: "2026-05-05", rows: [["Papper", 80], ["Saks", 20]] }]);
  await page.goto(`/receipts/${mine.file_id}`);
  const lines = page.getByRole("region", { name: "Lines" });
  await lines.getByRole("button", { name: /Change lines|Add lines/ }).click();
  const rows = async () => lines.locator("tbody tr").count();
  while ((await rows()) > 1) await lines.getByRole("button", { name: "Remove row 1" }).click();
  if ((await rows()) === 0) await lines.getByRole("button", { name: "Add a row" }).click();
  await lines.getByRole("textbox", { name: "Item 1" }).fill("Skrivbordslampa");
  await lines.getByRole("textbox", { name: "Qty 1" }).fill("1");
  await lines.getByRole("textbox", { name: "Amount 1" }).fill("1 099,50");
  await lines.getByRole("button", { name: "Add a row" }).click();
  await lines.getByRole("textbox", { name: "Item 2" }).fill("Sladd");
  await lines.getByRole("textbox", { name: "Amount 2" }).fill("nothing much");
  await accessible(page);
  await lines.getByRole("button", { name: "Save" }).click();
  await lines.getByRole("alert").getByText(/`amount` of row 2 of `items`/).waitFor();
  await lines.getByRole("textbox", { name: "Amount 2" }).fill("150.50");
  await says(page, "Lines is corrected.", () => lines.getByRole("button", { name: "Save" }).click());

  const told = await server.until(`/api/receipts/${mine.file_id}`, (one) => one.items.length === 2 && one.items[0].name === "Skrivbordslampa");
  equal(told.items.map((item) => item.amount), ["1099.50", "150.50"], "amounts");
  await page.getByRole("region", { name: "VAT" }).getByRole("button", { name: "Change VAT" }).click();
  const tax = page.getByRole("region", { name: "VAT" });
  if ((await tax.getByRole("textbox", { name: "Amount 1" }).count()) === 0) {
    await tax.getByRole("button", { name: "Add a row" }).click();
    await tax.getByRole("textbox", { name: "Rate, % 1" }).fill("25");
  }
  await tax.getByRole("textbox", { name: "Amount 1" }).fill("15,00");
  await page.getByRole("region", { name: "VAT" }).getByRole("button", { name: "Save" }).click();
  const booked = await server.until(`/api/receipts/${mine.file_id}`, (one) => one.vat[0].amount === "15.00");
  assert(booked.entries.some((entry) => entry.debit === "15.00"), `entries: ${JSON.stringify(booked.entries)}`);
});

test("pointing at a field with the mouse moves nothing", async (page, { server, browser }) => {
  const [mine] = await receipts(server, browser, "Stilla Sidan", [{ day: "2026-05-06", rows: Array.from({ length: 14 }, (_, n) => [`Vara ${n}`, 10 + n]) }]);
  await page.setViewportSize({ width: 1200, height: 420 });
  await page.goto(`/receipts/${mine.file_id}`);
  await page.locator(".page img").first().waitFor();
  const places = () => page.evaluate(() => [scrollY, document.querySelector(".pages").scrollTop]);
  const before = await places();
  for (const row of await page.locator(".field-row").all()) {
    const box = await row.boundingBox();
    if (box && box.y > 0 && box.y < 400) await page.mouse.move(box.x + 30, box.y + 10);
  }
  equal(await places(), before, "scrolled");
});

test("receipts are found by text, day, amount and match; the address is the view, and it can be kept", async (page, { server, browser }) => {
  await receipts(server, browser, "Sökbara Ting", [
    { day: "2026-03-10", rows: [["Kikare", 1200]] },
    { day: "2026-04-11", rows: [["Karta", 89]] },
  ]);
  await page.goto("/receipts");
  await page.getByRole("searchbox").fill("sökbara");
  await page.getByText("2 papers").waitFor();
  await page.getByLabel("From").fill("2026-04-01");
  await page.getByText("1 paper", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("1 paper", { exact: true }).waitFor();
  equal(await page.locator(".paper-row").count(), 1, "rows");
  await page.getByLabel("From").fill("");
  await page.getByLabel("Order").selectOption("-total");
  await page.waitForFunction(() => document.querySelectorAll(".paper-row").length === 2);
  assert((await page.locator(".paper-row").first().textContent()).includes("1,200"), "the largest first");
  await page.getByLabel("At least").fill("1000");
  await page.getByText("1 paper", { exact: true }).waitFor();
  await page.getByLabel("Card statement").selectOption("1");
  await page.getByText("No paper matches").waitFor();
  await page.getByLabel("Card statement").selectOption("0");
  await page.getByText("1 paper", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Dear and unmatched");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.goto("/receipts");
  await page.getByRole("button", { name: "Dear and unmatched" }).click();
  await page.waitForURL(/least=1000/);
  await accessible(page);
});

test("all that match are chosen, approved at once, and that is undone", async (page, { server, browser }) => {
  const mine = await receipts(server, browser, "Många På En Gång", [{ day: "2026-06-01", rows: [["A", 11]] }, { day: "2026-06-02", rows: [["B", 12]] }, { day: "2026-06-03", rows: [["C", 13]] }]);
  await page.goto("/receipts?q=många-på");
  await page.getByText("3 papers").waitFor();
  await page.locator(".select-box input").first().check();
  const bar = page.getByRole("region", { name: "What is chosen" });
  await bar.getByRole("button", { name: "Choose all 3 that match" }).click();
  await bar.getByText("3 chosen").waitFor();
  await accessible(page);
  const [download] = await Promise.all([page.waitForEvent("download"), bar.getByRole("button", { name: "CSV" }).click()]);
  equal(download.suggestedFilename(), "receipts.csv", "the file");
  await says(page, "3 approved.", () => bar.getByRole("button", { name: "Approve 3" }).click());
  for (const one of mine) assert((await server.get(`/api/receipts/${one.file_id}`)).approved_by, `${one.name} is approved`);
  await says(page, "3 taken back.", () => page.getByRole("button", { name: "Undo" }).click());
  for (const one of mine) equal((await server.get(`/api/receipts/${one.file_id}`)).approved_by, null, one.name);
});

test("a receipt that looks like a card statement says so, and one click reads it as one", async (page, { server, samples }) => {
  const pdf = Buffer.concat([samples.bytes("first-card-1.pdf"), Buffer.from("\n% as a receipt")]);
  const mine = await server.upload("fel-kort.pdf", pdf, "application/pdf", "receipt");
  await server.until(`/api/runs/${mine.workflow_run_id}`, over);
  await page.goto(`/receipts/${mine.file_id}`);
  await page.getByText(/looks like a card statement/).waitFor();
  await page.getByRole("button", { name: /^Read as/ }).click();
  await page.waitForURL(/\/runs\/wf3_/);
});

test("a receipt that was taken for the wrong kind is read as another", async (page, { server, browser }) => {
  const [mine] = await receipts(server, browser, "Fel Sort", [{ day: "2026-06-09", rows: [["Vykort", 15]] }]);
  await page.goto(`/receipts/${mine.file_id}`);
  await page.getByLabel("Read as…").selectOption("image");
  await page.waitForURL(/\/runs\/imgcls_/);
  const told = await server.until("/api/uploads?q=fel-sort", (all) => all.uploads.length === 1 && all.uploads[0].status === "classified");
  equal(told.uploads[0].workflow_type, "image", "its kind");
});
