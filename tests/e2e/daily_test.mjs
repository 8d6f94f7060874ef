// daily_test.mjs — lists and what is done with them: days, counts, statements, web pages with tags, undo of everything, and
// failures as people see them.
import { accessible, assert, equal, says, test } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";
import { receiptsFor } from "./world.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);
const isoDay = (shift = 0) => {
  const day = new Date(Date.now() + shift * 86_400_000);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
};

test("files and runs are found by day and counted; the address is the view", async (page, { server }) => {
  for (const n of [1, 2, 3]) await server.upload(`counted-${n}.png`, Buffer.concat([picture(), Buffer.from(`counted ${n}`)]), "image/png", "image");
  await page.goto("/?q=counted-");
  await page.getByText("3 files", { exact: true }).waitFor();
  await page.getByLabel("From").fill(isoDay());
  await page.getByText("3 files", { exact: true }).waitFor();
  await page.getByLabel("From").fill(isoDay(1));
  await page.getByText("No file matches").waitFor();
  assert(page.url().includes(`from=${isoDay(1)}`), page.url());
  await page.reload();
  await page.getByText("No file matches").waitFor();
  await page.getByRole("button", { name: "Show all files" }).click();
  await page.getByText(/^[\d,]+ files$/).waitFor();

  await page.goto(`/runs?workflow=IMAGE_CLASSIFICATION&from=${isoDay(1)}`);
  await page.getByText("No runs here").waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  const { total } = await server.get("/api/runs?limit=1");
  assert(total >= 3, `${total} runs`);
  await page.getByText(/^[\d,]+ runs$/).waitFor();
  await accessible(page);
});

test("more rows than are loaded are chosen at once, counted before and after", async (page, { server }) => {
  const taken = [];
  for (let n = 0; n < 130; n++) taken.push(server.upload(`bulk-${n}.png`, Buffer.concat([picture(), Buffer.from(`bulk ${n}`)]), "image/png", "image"));
  await Promise.all(taken);
  await page.goto("/?q=bulk-");
  await page.getByText("130 files").waitFor();
  await page.getByRole("checkbox", { name: /^Choose bulk-/ }).first().check();
  await page.getByRole("button", { name: "Choose all 130 that match" }).click();
  await page.getByText("130 chosen").waitFor();
  await page.getByRole("button", { name: "Delete 130" }).click();
  await page.getByRole("dialog", { name: "Delete 130 files?" }).waitFor();
  await accessible(page);
  await says(page, "130 deleted.", () => page.getByRole("dialog").getByRole("button", { name: "Delete" }).click());
  equal((await server.get("/api/uploads?q=bulk-")).total, 0, "left");
});

test("what needs review is a state of its own in the list of files", async (page, { server }) => {
  await page.goto("/");
  await page.getByLabel("State").selectOption({ label: "Needs review" });
  await page.getByText(/^(\d+ files?)$|No file matches/).first().waitFor();
  equal((await fetch(`${server.url}/api/uploads?state=review`)).status, 200, "the state");
});

// A bank's statement, which no other test has: its lines are nobody else's.
test("a statement is found by a line, confirmed, and the confirmation undone", async (page, { server, samples, browser }) => {
  const { rows, currency } = samples.truth("statement-en-1");
  const [mine] = await receiptsFor(browser, rows, currency);
  const paper = await server.upload(`undo-${mine.name}`, mine.bytes, "image/png", "receipt");
  await server.until(`/api/runs/${paper.workflow_run_id}`, over);
  const card = await server.upload("undo-card.pdf", samples.bytes("statement-en-1.pdf"), "application/pdf", "creditcard_invoice");
  await server.until(`/api/runs/${card.workflow_run_id}`, over);
  const stands = async () => (await server.get(`/api/card-invoices/${card.file_id}`)).rows.find((one) => one.description === mine.row.description && one.amount === mine.row.amount);
  const line = await stands();
  equal(line.matched_file_id, paper.file_id, "the receipt of the line");

  await page.goto("/statements");
  await page.getByRole("searchbox").fill(line.description.toLowerCase());
  await page.locator(`a[href="/statements/${encodeURIComponent(card.file_id)}"]`).waitFor();
  await page.getByRole("searchbox").fill("no such line anywhere");
  await page.getByText("No statement matches").waitFor();
  await accessible(page);

  await page.goto(`/statements/${card.file_id}?line=${line.id}`);
  await says(page, "Confirmed.", () => page.getByRole("button", { name: "Confirm", exact: true }).click());
  equal((await stands()).match_status, "confirmed", "the line");
  await says(page, "Taken back.", () => page.getByRole("button", { name: "Undo" }).click());
  equal((await stands()).match_status, line.match_status, "the line as before");
});

test("web pages are filtered, tagged, fetched many at once and deleted", async (page, { server, web }) => {
  web.pages["/tags-a"] = ["Tagging for climbers", ["A page of its own about ropes and tags, which nobody else looks for."], []];
  web.pages["/tags-b"] = ["Tagging for walkers", ["Another page about boots and tags, which nobody else looks for either."], []];
  await page.goto("/documents");
  await page.getByRole("button", { name: "Many" }).click();
  await page.getByLabel("Web addresses to fetch, one a line").fill(`${web.url}/tags-a\n${web.url}/tags-b`);
  await says(page, "2 pages on their way.", () => page.getByRole("button", { name: "Fetch", exact: true }).click());
  await server.until("/api/documents?q=tagging%20for", (told) => told.total === 2 && told.documents.every((one) => one.status === "FETCHED"));
  await page.getByLabel("Filter by title or address").fill("tagging for");
  await page.getByText("2 documents", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: "Choose Tagging for climbers" }).check();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Tag").fill("summer 2026");
  await accessible(page);
  await says(page, "1 document tagged summer 2026.", () => page.getByRole("dialog").getByRole("button", { name: "Tag" }).click());
  await page.getByLabel("Filter by title or address").fill("");
  await page.getByLabel("Tag", { exact: true }).selectOption("summer 2026");
  await page.getByText("1 document", { exact: true }).waitFor();
  await accessible(page);

  await page.getByRole("link", { name: "Tagging for climbers" }).click();
  const tags = page.getByRole("region", { name: "Tags" });
  await tags.getByLabel("A new tag").fill("ropes");
  await tags.getByRole("button", { name: "Add" }).click();
  await tags.getByRole("link", { name: "ropes" }).waitFor();
  await says(page, "The tag is gone.", () => tags.getByRole("button", { name: "Remove the tag ropes" }).click());
  await page.getByRole("button", { name: "Undo" }).last().click();
  await tags.getByRole("link", { name: "ropes" }).waitFor();
  await accessible(page);

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/documents$/);
  equal((await server.get("/api/documents?q=tagging%20for")).total, 1, "left");
  equal((await server.get("/api/search?q=climbers%20tags")).results.some((one) => one.title === "Tagging for climbers"), false, "found");
  // Its address may be fetched again.
  const again = await server.post("/api/documents", { url: `${web.url}/tags-a`, index: true });
  await server.until(`/api/documents/${again.document_id}`, (one) => one.status === "FETCHED" && one.tags.length === 0);
});

test("a name or an address does not make another cause of the same failure", async (page, { server }) => {
  for (const name of ["anna svensson.png", "bo_berg-2.png"]) {
    const taken = await server.upload(name, Buffer.concat([brokenPicture(), Buffer.from(name)]), "image/png", "image");
    await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "failed");
  }
  const causes = (await server.get("/api/failures")).causes.filter((one) => one.stage_key === "classify-image");
  assert(causes.some((one) => one.runs >= 2), `causes: ${JSON.stringify(causes.map((one) => [one.runs, one.message]))}`);
  await page.goto("/operations");
  await page.getByRole("region", { name: "Failures by cause" }).getByRole("listitem").first().waitFor();
});
