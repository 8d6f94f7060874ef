// export_test.mjs — a first start with samples, everything out of it as files of one's own, and the samples away again.
import { readFileSync } from "node:fs";
import { accessible, assert, equal, fileRow, says, test } from "./harness.mjs";
import { Server } from "./server.mjs";

const kOver = /completed|manual_review|classified|failed/;

test("samples in one click, exported as CSV, JSON, SIE and ZIP, and taken away with another", async (page, { server }) => {
  const own = new Server(server.program, server.options);
  await own.start();
  try {
    await page.goto(own.url);
    await accessible(page);
    await says(page, "The samples are on their way through.", () => page.getByRole("button", { name: "Try it with samples" }).click());
    const { uploads } = await own.until("/api/uploads?q=belay-sample-", (told) => told.uploads.length === 4 && told.uploads.every((one) => kOver.test(one.status)), 240_000);
    equal(uploads.filter((one) => /failed/.test(one.status)).map((one) => [one.name, one.error]), [], "samples that failed");

    await page.getByRole("link", { name: "Receipts", exact: true }).click();
    await page.getByRole("link", { name: "Export" }).click();
    await page.getByRole("heading", { level: 1, name: "Export" }).waitFor();
    await accessible(page);
    const taken = async (what, button) => {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const list = (what) => page.getByRole("listitem").filter({ has: page.getByText(what, { exact: true }) });
    const csv = await taken("receipts as CSV", list("Receipts").getByRole("button", { name: "CSV" }));
    equal(csv.name, "receipts.csv", "its name");
    const lines = csv.bytes.toString("utf8").replace("\ufeff", "").trim().split("\r\n");
    equal(lines.length, 3, `lines of ${csv.bytes}`);
    assert(lines.some((line) => line.includes("499.00")) && lines.some((line) => line.includes("35.00")), lines.join("\n"));
    const json = JSON.parse((await taken("invoices as JSON", list("Invoices").getByRole("button", { name: "JSON" }))).bytes);
    equal(json.map((one) => [one.invoice_number, one.grand_total]), [["2026-1042", "11250.00"]], "the invoice");
    const runs = JSON.parse((await taken("runs as JSON", list("Runs").getByRole("button", { name: "JSON" }))).bytes);
    assert(runs.length >= 4, `${runs.length} runs`);
    const sie = await taken("SIE", page.getByRole("button", { name: "SIE file" }));
    assert(sie.bytes.toString("latin1").startsWith("#FLAGGA") && sie.name === "belay.se", sie.name);
    const zip = await taken("ZIP", page.getByRole("button", { name: "Originals as ZIP" }));
    equal([zip.name, zip.bytes.subarray(0, 2).toString()], ["originals.zip", "PK"], "the originals");
    assert(zip.bytes.includes("belay-sample-design-invoice.png"), "its names");

    // What is refused is told, and is no file.
    await page.route("**/api/export/originals.zip*", (route) => route.fulfill({ status: 400, json: { error: { code: "invalid_parameter", message: "that is more than one ZIP file holds" } } }));
    await says(page, "that is more than one ZIP file holds", () => page.getByRole("button", { name: "Originals as ZIP" }).click());

    await page.getByRole("link", { name: "Uploads", exact: true }).click();
    await fileRow(page, "belay-sample-coffee.png").waitFor();
    await says(page, "4 samples taken away.", () => page.getByRole("button", { name: "Take the samples away" }).click());
    await page.getByText("No files yet").waitFor();
    equal((await own.get("/api/uploads?limit=1")).total, 0, "left");
  } finally {
    await own.end();
  }
});
