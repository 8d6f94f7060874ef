// keys_test.mjs — the page by keyboard: go anywhere, search, through lists, and the list of keys.
import { accessible, assert, equal, test } from "./harness.mjs";
import { picture } from "./pictures.mjs";

test("Ctrl-K goes to a view, to a file by its name and to its run, without the mouse", async (page, { server }) => {
  const taken = await server.upload("palette-target.png", picture(), "image/png", "image");
  await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
  await page.goto("/operations");
  await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Go to any view, file, run or web page" });
  await field.waitFor();
  await page.keyboard.type("stat");
  await page.getByRole("option", { name: /Statements/ }).waitFor();
  await accessible(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/statements$/);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("palette-target");
  await page.getByRole("option", { name: /palette-target\.png/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/runs/${taken.workflow_run_id}`));

  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});

test("/ goes to the search field, j and k through the list, Enter opens", async (page, { server }) => {
  for (const name of ["by-key-1.png", "by-key-2.png"]) {
    const taken = await server.upload(name, picture(), "image/png", "image");
    await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
  }
  await page.goto("/");
  await page.getByRole("link", { name: "by-key-2.png" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("by-key/jk"); // letters in a field are letters
  equal(await page.getByRole("searchbox", { name: "Search by name" }).inputValue(), "by-key/jk", "what was typed");
  const answered = page.waitForResponse((answer) => answer.url().includes("q=by-key") && !answer.url().includes("jk"));
  await page.getByRole("searchbox", { name: "Search by name" }).fill("by-key");
  await answered; // the list begins anew with it
  await page.waitForFunction(() => document.querySelectorAll(".upload").length === 2);
  await page.evaluate(() => document.activeElement.blur());

  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.textContent === "by-key-2.png");
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.textContent === "by-key-1.png");
  await page.keyboard.press("k");
  await page.waitForFunction(() => document.activeElement?.textContent === "by-key-2.png");
  assert((await focused()) === "by-key-2.png", "back at the first");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\//);
});

test("? tells the keys, and single letters can be turned off", async (page) => {
  await page.goto("/");
  await page.getByRole("searchbox", { name: "Search by name" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "By keyboard" });
  await help.getByText("Go to any view, file, run or web page").waitFor();
  await accessible(page);
  await help.getByRole("checkbox").uncheck();
  await help.getByRole("button", { name: "Close" }).click();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("/");
  equal(await page.evaluate(() => document.activeElement?.tagName), "BODY", "where the keys go");
  await page.keyboard.press("?");
  await help.getByRole("checkbox").check();
  await help.getByRole("button", { name: "Close" }).click();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("/");
  equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search", "where the keys go");
});
