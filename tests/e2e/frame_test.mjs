// frame_test.mjs — what stays when something breaks: a view whose file is not here, a view that throws, a new version.
import { accessible, assert, equal, test } from "./harness.mjs";

const kOperations = /\/assets\/operations_view[^/]*\.js/;
const loaded = (page, part) => page.waitForFunction((word) => performance.getEntriesByType("resource").some((one) => one.name.includes(word) && one.responseEnd > 0), part);
const stays = async (page) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Uploads" }).waitFor();

test("every view opens while the server is dead: its file was loaded before anybody wanted it", async (page, { server }) => {
  await page.goto("/");
  for (const part of ["run_view", "runs_view", "papers_view", "paper_view", "statements_view", "statement_view", "documents_view", "document_view", "operations_view"]) await loaded(page, part);
  await server.kill();
  try {
    for (const [name, heading] of [["Operations", "Operations"], ["Runs", "Runs"], ["Receipts", "Receipts and invoices"], ["Statements", "Card statements"], ["Documents", "Documents"]]) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.getByText("The server cannot be reached").first().waitFor();
      await stays(page);
    }
    await accessible(page);
  } finally {
    await server.start();
  }
  await page.getByText("No documents yet").or(page.getByRole("list", { name: "Documents" })).first().waitFor();
});

test("a view that was never loaded says so when the server is dead, and comes by itself with it", async (page, { server }) => {
  const gone = { file: true, server: false };
  await page.route(kOperations, (route) => (gone.file ? route.abort() : route.fallback()));
  await page.route((url) => url.pathname === "/", (route) => (gone.server ? route.abort() : route.fallback())); // also where the page comes from a folder
  await page.goto("/?q=kept");
  await page.getByText("Live", { exact: true }).waitFor();
  await server.kill();
  gone.server = true;
  try {
    await page.getByRole("link", { name: "Operations" }).click();
    await page.getByRole("heading", { name: /Operations: this part is not here yet/ }).waitFor();
    await stays(page);
    await accessible(page);
    gone.file = gone.server = false;
  } finally {
    await server.start();
  }
  await page.getByRole("region", { name: "Failures by cause" }).waitFor();
  await page.goBack();
  await page.waitForURL(/\?q=kept/);
  equal(await page.getByRole("searchbox", { name: "Search by name" }).inputValue(), "kept", "the filter of before");
});

test("after a newer version was installed a view of the old one comes with the new one, at the same address", async (page) => {
  // The files of the old version are gone, and the index names others: what a new binary on the same address does.
  const renew = { now: false };
  await page.route(kOperations, (route) => (renew.now ? route.fallback() : route.fulfill({ status: 404, body: "" })));
  await page.route(
    (url) => url.pathname === "/",
    (route) => (route.request().resourceType() === "fetch" ? route.fulfill({ contentType: "text/html", body: '<script type="module" src="/assets/index-Newer.js"></script>' }) : route.fallback()),
  );
  await page.goto("/");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => history.replaceState(null, "", "/?q=old"));
  let loads = 0;
  page.on("domcontentloaded", () => {
    loads++;
    renew.now = true;
  });
  await page.getByRole("link", { name: "Operations" }).click();
  await page.getByRole("region", { name: "Failures by cause" }).waitFor();
  equal([loads, new URL(page.url()).pathname], [1, "/operations"], "loaded anew, at the address that was wanted");
});

test("a view that cannot be loaded at all does not load the page for ever", async (page) => {
  await page.route(kOperations, (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto("/operations");
  let loads = 0;
  page.on("domcontentloaded", () => loads++);
  await page.getByRole("heading", { name: /Operations: this part could not be loaded/ }).waitFor();
  await page.getByRole("button", { name: "Load it now" }).waitFor();
  await stays(page);
  assert(loads <= 1, `${loads} times`);
});

test("a view that throws takes nothing with it, and is itself again when what it was told is", async (page) => {
  await page.route("**/api/runs/faulty", (route) => route.fulfill({ json: { id: "faulty", workflow_key: "X", status: "succeeded" } }));
  await page.goto("/runs/faulty");
  await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
  await accessible(page);
  await page.getByRole("link", { name: "Operations" }).click();
  await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();

  await page.goBack();
  await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
  await page.unroute("**/api/runs/faulty");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Not found").waitFor();
});
