// uploads_test.mjs — what a person does first: gives a file and watches what becomes of it.
import { accessible, assert, equal, fileRow as row, says, test } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";

test("an empty server says what to do first", async (page) => {
  await page.goto("/");
  await page.getByText("No files yet").waitFor();
  await page.getByRole("button", { name: /Drop files here/ }).waitFor();
  await page.getByRole("button", { name: "Photo What is in it?" }).waitFor();
});

test("a photo that is chosen is uploaded, classified and shown with its label, without a reload", async (page, { server }) => {
  await page.goto("/");
  await page.locator("input[data-kind=image]").setInputFiles({ name: "disc.png", mimeType: "image/png", buffer: picture() });

  await row(page, "disc.png").getByText("Done").waitFor();
  const told = await server.get("/api/uploads?q=disc.png");
  const label = told.uploads[0].label;
  assert(label, "the server found a label");
  await row(page, "disc.png").getByText(label).waitFor();
});

test("a file that is dropped on a door goes through it", async (page, { server }) => {
  await page.goto("/");
  const bytes = [...picture()];
  const carried = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(all)], "dropped.png", { type: "image/png" }));
    return transfer;
  }, bytes);
  const door = page.locator(".door").first();
  await door.dispatchEvent("dragenter", { dataTransfer: carried });
  await page.getByText("Drop here").first().waitFor();
  await door.dispatchEvent("drop", { dataTransfer: carried });

  await row(page, "dropped.png").waitFor();
  const told = await server.until("/api/uploads?q=dropped", (all) => all.uploads[0]?.status === "classified");
  equal(told.uploads[0].workflow_type, "image", "its kind");
});

test("the same file again is said to be here already, with the run that it has", async (page) => {
  const bytes = picture();
  await page.goto("/");
  const chooser = page.locator("input[data-kind=image]");
  await chooser.setInputFiles({ name: "twice.png", mimeType: "image/png", buffer: bytes });
  await row(page, "twice.png").getByText("Done").waitFor();
  await chooser.setInputFiles({ name: "twice.png", mimeType: "image/png", buffer: bytes });

  await page.getByText("Already here").waitFor();
  await page.getByRole("link", { name: "See its run" }).click();
  await page.waitForURL(/\/runs\/imgcls_/);
});

test("a file that no workflow takes is refused by name and reason", async (page) => {
  await page.goto("/");
  await page.locator("input[data-kind=receipt]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("just text") });

  const refused = page.getByRole("list", { name: "On their way" }).getByRole("alert");
  await refused.waitFor();
  assert((await refused.textContent()).length > 10, "a reason is given");
});

test("files are found by name, kind and state, and the address remembers it", async (page) => {
  await page.goto("/");
  await row(page, "disc.png").waitFor();
  await page.getByRole("searchbox", { name: "Search by name" }).fill("DISC");
  await page.waitForFunction(() => document.querySelectorAll(".upload").length === 1);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".upload").length === 1);

  await page.getByLabel("Kind").selectOption("invoice");
  await page.getByText("No file matches").waitFor();
  await page.getByRole("button", { name: "Show all files" }).click();
  await row(page, "dropped.png").waitFor();
});

test("a broken picture fails with its reason, and is retried with one click", async (page, { server }) => {
  const taken = await server.upload("broken.png", brokenPicture(), "image/png", "image");
  await page.goto("/?q=broken");
  await row(page, "broken.png").getByText("Failed", { exact: true }).waitFor();
  const before = await server.get(`/api/runs/${taken.workflow_run_id}`);

  await says(page, /It runs again/, () => page.getByRole("button", { name: "Retry: broken.png" }).click());
  await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "failed" && run.updated_at > before.updated_at);
});

test("a photo is given, watched and opened with the keyboard alone", async (page) => {
  // Listened for from the beginning: the browser is told to hand choosers over, and that takes it a moment.
  const chosen = page.waitForEvent("filechooser");
  chosen.catch(() => {}); // told where it is awaited
  await page.goto("/");
  await row(page, "disc.png").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // "Skip to content"
  await page.waitForFunction(() => document.activeElement?.id === "main");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await (await chosen).setFiles({ name: "by-keyboard.png", mimeType: "image/png", buffer: picture() });
  await row(page, "by-keyboard.png").getByText("Done").waitFor();

  await page.getByRole("link", { name: "by-keyboard.png" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\//);
  await page.getByRole("button", { name: "load-image" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Stage load-image" }).waitFor();
  await accessible(page);
});

test("a phone shows everything within its width", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (page) => {
  for (const path of ["/", "/runs", "/receipts", "/statements", "/documents", "/operations", "/review", "/export", "/settings", "/workflows"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    equal(beyond, 0, `pixels beyond the edge at ${path}`);
    await accessible(page);
  }
});

test("the dark page has its contrasts", { colorScheme: "dark" }, async (page) => {
  for (const path of ["/", "/runs", "/receipts", "/statements", "/documents", "/operations", "/review", "/export", "/settings", "/workflows"]) {
    await page.goto(path);
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    equal(paper, "rgb(20, 21, 19)", "the paper");
    await accessible(page);
  }
});
