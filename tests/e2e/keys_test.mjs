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

// Files of its own, found by their name: what others have left on the server is not in this list.
test("/ goes to the search field, j and k through the rows, and letters in a field are letters", async (page, { server }) => {
  for (const number of [1, 2, 3]) await server.upload(`rows-by-letter-${number}.png`, picture(), "image/png", "image");
  await server.until("/api/uploads?q=rows-by-letter", (told) => told.uploads.length === 3 && told.uploads.every((one) => one.status === "classified"));
  await page.goto("/?q=rows-by-letter");
  const links = page.getByRole("list", { name: "Files", exact: true }).getByRole("link");
  await links.nth(2).waitFor();
  const names = await links.allTextContents();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const at = (name) => page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, name);

  await page.keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.closest("[data-row]"));
  await links.first().focus();
  await page.keyboard.press("j");
  await at(names[1]);
  await page.keyboard.press("j");
  await at(names[2]);
  await page.keyboard.press("k");
  await at(names[1]);
  equal(await focused(), names[1], "the row");
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement?.getAttribute("type") === "search");
  await page.keyboard.press("End");
  await page.keyboard.type("-jk/");
  equal(await page.getByRole("searchbox", { name: "Search by name" }).inputValue(), "rows-by-letter-jk/", "typed");
});
