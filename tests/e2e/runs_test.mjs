// runs_test.mjs — a run as it goes and as it went; a server that dies under an open page.
import { assert, equal, test } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";

const row = (page, name) => page.getByRole("listitem").filter({ hasText: name });

test("a run shows its stages with times, what each gave, and its result", async (page, { server }) => {
  const taken = await server.upload("stages.png", picture(), "image/png", "image");
  await page.goto(`/runs/${taken.workflow_run_id}`);
  await page.getByText("Done").first().waitFor();

  for (const stage of ["load-image", "classify-image", "persist-classification"]) {
    await page.getByRole("button", { name: stage }).waitFor();
  }
  await page.getByRole("button", { name: "classify-image" }).click();
  const panel = page.getByRole("region", { name: "Stage classify-image" });
  await panel.waitFor();
  assert((await panel.textContent()).includes("score"), "what it gave is shown");
  await page.reload();
  await panel.waitFor(); // the address holds what is open
});

test("a failed run says in which stage and why, and what was skipped", async (page, { server }) => {
  const taken = await server.upload("broken-too.png", brokenPicture(), "image/png", "image");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, (told) => told.status === "failed");
  await page.goto(`/runs/${run.id}`);

  await page.getByText("It failed in").waitFor();
  await page.getByText(run.error.message).first().waitFor();
  await page.getByRole("button", { name: "Retry" }).waitFor();
});

test("an address of nothing says so, and so does a run that is not there", async (page) => {
  await page.goto("/runs/there-is-none");
  await page.getByText("Not found").waitFor();
  await page.goto("/somewhere");
  await page.getByText("There is no such page").waitFor();
});

test("runs are filtered by state", async (page) => {
  await page.goto("/runs?status=failed");
  await page.waitForFunction(() => document.querySelectorAll(".run-row").length >= 2);
  const words = await page.locator(".run-row .state").allTextContents();
  assert(words.every((word) => word === "Failed"), `only failed ones: ${words}`);
});

test("operations count the runs, chart them and group the failures by cause", async (page) => {
  await page.goto("/operations");
  await page.getByRole("heading", { name: "Failures by cause" }).waitFor();
  await page.getByRole("button", { name: /Retry/ }).first().waitFor();
  assert((await page.locator(".chart rect").count()) > 0, "columns are drawn");
});

test("when the server dies the page says so, and comes back by itself with what happened meanwhile", async (page, { server }) => {
  await page.goto("/");
  await page.getByText("Live", { exact: true }).waitFor();
  await server.kill();
  await page.getByText(/Connection lost/).waitFor();

  await server.start();
  const taken = await server.upload("meanwhile.png", picture(), "image/png", "image");
  await row(page, "meanwhile.png").getByText("Done").waitFor();

  await page.getByText("Live", { exact: true }).waitFor();
  equal(await page.getByText(/Connection lost/).count(), 0, "bars");
  assert(taken.workflow_run_id, "it has a run");
});

test("the script of the first load is at most 200 KiB compressed, and what is hashed is cached for ever", async (page) => {
  const sizes = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith(".js")) return;
    sizes.push(Number(response.headers()["content-length"]));
    if (!/immutable/.test(response.headers()["cache-control"] ?? "")) sizes.push(Number.NaN);
  });
  await page.goto("/", { waitUntil: "networkidle" });
  const bytes = sizes.reduce((sum, one) => sum + one, 0);
  assert(bytes > 0 && bytes <= 200 * 1024, `${bytes} bytes`);
});
