// world.mjs — a server as it looks after a few days of use: every kind of file, done, failed and under way.
import { brokenPicture } from "./pictures.mjs";
import { photo, receipt } from "./papers.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);

async function post(server, path, body) {
  const answer = await fetch(server.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

// Receipts for lines of the sample statement: the first as printed, the second a few crowns and a day off.
export async function receiptsFor(browser, rows, currency = "SEK") {
  const charges = rows.filter((row) => Number(row.amount) > 0 && !row.currency_original);
  const made = [];
  for (const [index, row] of charges.slice(0, 4).entries()) {
    const off = index === 1 ? 4 : 0;
    const bytes = await receipt(browser, { shop: row.description, day: row.date, rows: [["Artikel", Number(row.amount) + off]], currency });
    made.push({ name: `${row.description.toLowerCase().replaceAll(" ", "-")}.png`, bytes, row });
  }
  return made;
}

// Gives the runs and files that the views show.
export async function fill(server, browser, samples, web) {
  const taken = {};
  const give = async (name, bytes, type, kind) => (taken[name] = await server.upload(name, bytes, type, kind));
  const papers = await receiptsFor(browser, samples.truth("first-card-1").rows);
  const late = papers.pop();
  for (const one of papers) await give(one.name, one.bytes, "image/png", "receipt");
  await give("wall-clock.png", await photo(browser, "clock"), "image/png", "image");
  await give("crossing.png", await photo(browser, "light"), "image/png", "image");
  await give("half-a-picture.png", brokenPicture(), "image/png", "image");
  await give("cut-off.png", brokenPicture(), "image/png", "image");
  await give("kontorsvaror.png", samples.bytes("receipt-sv-1.png"), "image/png", "receipt");
  await give("lunch-worn.png", samples.bytes("receipt-sv-1-worn.png"), "image/png", "receipt");
  await give("invoice-october.pdf", samples.bytes("invoice-en-1.pdf"), "application/pdf", "invoice");
  await give("rechnung-scan.pdf", samples.bytes("invoice-de-1-worn.pdf"), "application/pdf", "invoice");
  for (const page of ["/anchors", "/knots", "/weather"]) await post(server, "/api/documents", { url: web.url + page, index: true });
  for (const one of Object.values(taken)) await server.until(`/api/runs/${one.workflow_run_id}`, over, 300_000);
  // After its receipts: what it matches is there.
  await give("card-october.pdf", samples.bytes("first-card-1.pdf"), "application/pdf", "creditcard_invoice");
  await server.until(`/api/runs/${taken["card-october.pdf"].workflow_run_id}`, over, 300_000);
  // One that comes after it is a candidate that somebody has to match.
  await give(late.name, late.bytes, "image/png", "receipt");
  await server.until(`/api/runs/${taken[late.name].workflow_run_id}`, over, 300_000);
  await server.until("/api/documents", (told) => told.documents.length >= 3, 120_000);
  return taken;
}
