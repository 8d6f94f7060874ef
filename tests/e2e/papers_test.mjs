// papers_test.mjs — every kind of file is given on the page and watched until it is read: no reload, no other tool.
import { accessible, assert, equal, fileRow as row, says, test } from "./harness.mjs";
import { photo, receipt } from "./papers.mjs";

async function carried(page, name, type, bytes) {
  return page.evaluateHandle(
    ([as, kind, all]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(all), (letter) => letter.charCodeAt(0))], as, { type: kind }));
      return transfer;
    },
    [name, type, bytes.toString("base64")],
  );
}
// As a hand does it: over the page, over the door, let go.
async function drop(page, door, name, type, bytes) {
  const files = await carried(page, name, type, bytes);
  const target = page.locator(".door").filter({ has: page.getByRole("button", { name: door }) });
  await target.dispatchEvent("dragenter", { dataTransfer: files });
  await target.dispatchEvent("drop", { dataTransfer: files });
}

test("a photo that is dropped is named by the model", async (page, { browser }) => {
  await page.goto("/");
  await drop(page, /Photo/, "street.png", "image/png", await photo(browser, "light"));

  const one = row(page, "street.png");
  await one.getByText("Done").waitFor();
  await one.getByText("traffic light").waitFor();
  await one.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "street.png" }).waitFor();
  await page.getByText(/Each of its 3 steps was recorded/).waitFor();
  await page.getByRole("region", { name: "What is in it" }).getByText("traffic light").waitFor();
});

test("a receipt that is dropped is read; a value is corrected and the whole approved", async (page, { browser, server }) => {
  await page.goto("/");
  const paper = await receipt(browser, { shop: "Bokhandeln Lyktan", day: "2026-09-14", rows: [["Roman", 249], ["Karta", 120]] });
  await drop(page, /Receipt/, "books.png", "image/png", paper);

  const one = row(page, "books.png");
  await one.getByText(/Done|Needs review/).waitFor();
  await one.getByText("369.00 SEK").waitFor();
  await one.getByRole("link").click();
  await page.waitForURL(/\/receipts\//);
  const file = decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);

  // Pointing at a field shows where it stands on the paper.
  const total = page.locator(".field-row").filter({ hasText: "Total" }).first();
  await total.hover();
  await page.locator(".mark-now").waitFor();

  await page.getByRole("button", { name: /Correct it/ }).nth(0).click();
  const merchant = page.getByRole("textbox", { name: "Merchant" });
  await merchant.fill("Lyktans Bokhandel");
  await merchant.press("Enter");
  await page.getByRole("heading", { level: 1, name: /Lyktans Bokhandel/ }).waitFor();
  await says(page, "Approved.", () => page.getByRole("button", { name: "Approve" }).click());
  const told = await server.get(`/api/receipts/${file}`);
  equal([told.merchant, told.total, told.status], ["Lyktans Bokhandel", "369.00", "completed"], "what the server keeps");
});

test("an invoice of several pages is watched live, and its pages stand beside what was read", async (page, { samples }) => {
  await page.goto("/");
  await drop(page, /Invoice/, "october.pdf", "application/pdf", samples.bytes("invoice-en-1.pdf"));
  const one = row(page, "october.pdf");
  await one.getByText("Done").waitFor();
  await one.getByRole("link").click();

  await page.waitForURL(/\/invoices\//);
  const truth = samples.truth("invoice-en-1");
  await page.getByRole("heading", { level: 1, name: truth.seller_name }).waitFor();
  await page.locator(".page").nth(2).waitFor();
  equal(await page.locator(".page").count(), 3, "pages");
  await page.locator(".page img").first().waitFor();
  await page.getByRole("link", { name: "Its run" }).click();
  await page.getByRole("button", { name: "ocr_page_3", exact: true }).waitFor();
  await page.getByRole("link", { name: "See the result" }).waitFor();
});

test("the lines of a card statement are matched to receipts: candidates, match, confirm, reject", async (page, { browser, server, samples }) => {
  const rows = samples.truth("first-card-1").rows.filter((line) => Number(line.amount) > 0 && !line.currency_original);
  const [line] = rows;
  await page.goto("/");
  await drop(page, /Card statement/, "card.pdf", "application/pdf", samples.bytes("first-card-1.pdf"));
  await row(page, "card.pdf").getByText("Done").waitFor();
  // Its receipt comes later; rejected, it is found among the candidates.
  await drop(page, /Receipt/, "hotel.png", "image/png", await receipt(browser, { shop: line.description, day: line.date, rows: [["Rum", Number(line.amount)]] }));
  await row(page, "hotel.png").getByText(/Done|Needs review/).waitFor();
  const file = (await server.get("/api/uploads?q=hotel.png")).uploads[0].file_id;

  await row(page, "card.pdf").getByRole("link").click();
  await page.waitForURL(/\/statements\//);
  const id = decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
  const stands = async () => (await server.get(`/api/card-invoices/${id}`)).rows.find((one) => one.description === line.description && one.amount === line.amount);
  await page.getByText("The lines add up to the total").waitFor();
  await page.locator("tr").filter({ hasText: line.description }).filter({ hasText: Number(line.amount).toLocaleString("en-US") }).getByRole("button").click();
  const panel = page.getByRole("region", { name: line.description });
  // It came after its statement, and was matched by itself.
  await panel.getByText(/^Matched/).first().waitFor();
  equal((await stands()).matched_file_id, file, "the receipt of the line");

  await panel.getByRole("button", { name: "Reject" }).click();
  await panel.getByRole("button", { name: "Match" }).waitFor();
  equal((await stands()).matched_file_id, null, "after the rejection");
  await panel.getByText("same amount").waitFor();
  await accessible(page);

  await panel.getByRole("button", { name: "Match" }).click();
  await panel.getByRole("button", { name: "Confirm" }).click();
  await panel.getByText("Confirmed").waitFor();
  equal((await stands()).match_status, "confirmed", "its state");
});

test("a web address is fetched, read as text, led on to its links, and found with its words marked", async (page, { web }) => {
  await page.goto("/");
  for (const name of ["/anchors", "/knots"]) {
    await page.getByRole("textbox", { name: "Web page" }).fill(web.url + name);
    await page.getByRole("button", { name: "Fetch" }).click();
    await page.getByRole("list", { name: "Web pages on their way" }).getByRole("listitem").filter({ hasText: name }).getByText("Done").waitFor();
  }
  await page.getByRole("listitem").filter({ hasText: "/anchors" }).getByRole("link", { name: "Read it" }).click();
  await page.getByRole("heading", { level: 1, name: "Anchors on a long climb" }).waitFor();
  await page.getByText("holds when everything else has failed").waitFor();
  await page.locator(".link-list").getByRole("link", { name: /knots/i }).first().click(); // it was read, too: the link stays here
  await page.getByRole("heading", { level: 1, name: "Knots that hold a fall" }).waitFor();
  await accessible(page);

  await page.goto("/documents");
  await page.getByRole("searchbox", { name: "Ask in your own words" }).fill("rope anchor");
  await page.getByRole("searchbox", { name: "Ask in your own words" }).press("Enter");
  await page.getByText(/documents? for “rope anchor”/).waitFor();
  await page.locator(".hit mark").first().waitFor();
  const marked = await page.locator(".hit mark").allTextContents();
  assert(marked.some((word) => /rope/i.test(word)) && marked.some((word) => /anchor/i.test(word)), `marked: ${marked}`);
  assert(page.url().includes("q=rope"), "the address has the question");
});

test("an address that cannot be fetched fails with its reason", async (page, { web }) => {
  await page.goto("/");
  await page.getByRole("textbox", { name: "Web page" }).fill(`${web.url}/nowhere`);
  await page.getByRole("button", { name: "Fetch" }).click();
  const one = page.getByRole("list", { name: "Web pages on their way" }).getByRole("listitem").filter({ hasText: "/nowhere" });
  await one.getByText("Failed").waitFor();
  await one.getByRole("link", { name: "See why" }).click();
  await page.getByText(/404/).first().waitFor();
});
