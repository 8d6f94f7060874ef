// own_server_test.mjs — a program of 25 lines (examples/shop) has the whole page: its workflow is started by a form made
// from its struct, watched, killed, seen to go on, retried and forked. Nothing of papers or files is there.
import { accessible, assert, equal, test } from "./harness.mjs";
import { Server } from "./server.mjs";

const startButton = (page) => page.getByRole("button", { name: "Start a run of SELL" });
const formOf = (page) => page.getByRole("dialog", { name: "Start a run of SELL" });

// Fills in what is named, and goes where the run is shown. Gives the run's id.
async function startByForm(page, fields) {
  await page.goto("/workflows");
  await startButton(page).click();
  for (const [name, value] of Object.entries(fields)) await formOf(page).getByLabel(name, { exact: true }).fill(value);
  await formOf(page).getByRole("button", { name: "Start a run", exact: true }).click();
  await page.waitForURL(/\/runs\/./);
  return decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
}
const isShown = (page, word) => page.locator("h1").getByText(word, { exact: true }).waitFor();
const packed = (server, id) => server.post(`/api/runs/${encodeURIComponent(id)}/messages/packed`, true);

test("a program may give the page a colour, a place to begin and links", async (page) => {
  await page.route("**/api/program", async (route) => {
    const told = await (await route.fetch()).json();
    const links = [
      { title: "Counter", url: "https://shop.example/" },
      { title: "Trap", url: "javascript:alert(1)" },
    ];
    await route.fulfill({ json: { ...told, accent: "#0a7d55", start: "runs", links } });
  });
  await page.goto("/");
  await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
  equal(await page.locator(".brand").evaluate((one) => getComputedStyle(one).color), "rgb(10, 125, 85)", "its colour");
  equal(await page.getByRole("link", { name: "Counter" }).getAttribute("href"), "https://shop.example/", "its link");
  equal(await page.getByText("Trap").count(), 0, "what is no address");
});

test("the page is the program's: its name, and no view of what it has not", async (page, { server }) => {
  const missing = [];
  page.on("response", (answer) => answer.status() >= 400 && missing.push(`${answer.status()} ${answer.url()}`));
  let letGo;
  const go = new Promise((resolve) => (letGo = resolve));
  await page.route(/\/assets\/workflows_view/, (route) => go.then(() => route.fallback()));
  await page.goto("/");
  await page.getByRole("heading", { name: "Workflows" }).waitFor(); // a program without files begins here
  equal(await page.title(), "Workflows · shop", "the tab's name while the view is on its way");
  letGo();
  await startButton(page).waitFor();
  equal(await page.locator(".nav li").allInnerTexts().then((all) => all.map((one) => one.trim())), ["Runs", "Workflows", "Operations"], "where one can go");
  assert((await page.locator(".brand").innerText()).includes("shop"), "it is called shop");
  equal(await page.title(), "Workflows · shop", "the tab's name");
  for (const path of ["/runs", "/operations", "/workflows"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    await accessible(page);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("rope");
  await page.getByText("Nothing").first().waitFor();
  await page.keyboard.press("Escape");
  for (const path of ["/receipts", "/statements", "/documents", "/uploads"]) {
    await page.goto(path);
    await page.getByText("There is no such page").waitFor();
  }
  equal(missing, [], "what was asked for and is not there");
  equal((await server.get("/api/program")).views, [], "views");
});

test("a form made from the struct says what is wrong while one types, and its run is watched to its end", async (page, { server }) => {
  await page.goto("/workflows");
  await page.getByText("Sells a thing").waitFor();
  await startButton(page).click();
  const form = formOf(page);
  equal([await form.getByLabel("item", { exact: true }).inputValue(), await form.getByLabel("pieces").inputValue()], ["", "1"], "the struct's defaults");
  await form.getByLabel("pieces").fill("three");
  await form.getByText("A whole number is needed.").waitFor();
  await accessible(page);
  await form.getByLabel("pieces").fill("99999999999"); // an int of the program has no room for it
  await form.getByText(/At most/).waitFor();

  const id = await startByForm(page, { item: "rope", pieces: "3", seconds_to_pack: "3600" });
  await page.getByRole("button", { name: "charge" }).waitFor();
  await isShown(page, "Waiting");
  await page.getByText(/`shop runs send .* packed JSON`/).waitFor(); // what it waits for, in its own name
  await packed(server, id);
  await isShown(page, "Done");
  await page.getByRole("region", { name: "Result" }).getByText("750").waitFor();
});

test("the process is killed under the page, and its run goes on where it was", async (page, { server }) => {
  const id = await startByForm(page, { item: "rope", pieces: "4", seconds_to_pack: "3600" });
  await isShown(page, "Waiting");
  await server.kill();
  await page.getByText(/Connection lost/).waitFor();
  await server.start();
  assert(/not over/.test(server.log), `it says that it goes on: ${server.log}`);
  await page.getByText("Live", { exact: true }).waitFor();
  await packed(server, id);
  await isShown(page, "Done");
  const run = await server.get(`/api/runs/${encodeURIComponent(id)}`);
  equal([run.result, run.stages.filter((one) => one.stage_key === "charge").map((one) => one.attempt)], [1000, [1]], "charged once");
});

test("a run that failed is retried by a click, and forked with another input", async (page, { server }) => {
  await server.kill();
  server.environment.TILL_CLOSED = "1";
  await server.start();
  const id = await startByForm(page, { item: "hook", pieces: "2", seconds_to_pack: "0" });
  await page.getByText("It failed in").waitFor();
  await page.getByText("the till is closed").first().waitFor();
  await server.kill();
  delete server.environment.TILL_CLOSED;
  await server.start();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  await isShown(page, "Done");
  equal((await server.get(`/api/runs/${encodeURIComponent(id)}`)).result, 500, "what it gave");

  await page.getByRole("button", { name: "Fork", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Input" }).fill(JSON.stringify({ item: "hook", pieces: 5, seconds_to_pack: 0 }));
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByText("Forked from").waitFor();
  await isShown(page, "Done");
  const fork = decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
  const run = await server.get(`/api/runs/${encodeURIComponent(fork)}`);
  equal([run.forked_from, run.result], [id, 1250], "the fork");
});

test("the same by its own command line, beside the server", async (page, { server }) => {
  const told = JSON.parse(await server.command("submit", "SELL", '{"item": "nut", "seconds_to_pack": 3600}', "--id", "nut-1", "--json"));
  equal([told.id, told.workflow_key], ["nut-1", "SELL"], "it is submitted");
  await page.goto("/runs/nut-1");
  await isShown(page, "Waiting");
  assert(/packed/.test(await server.command("runs", "why", "nut-1")), "why tells what it waits for");
  await server.command("runs", "cancel", "nut-1");
  await isShown(page, "Canceled");
  await server.command("runs", "retry", "nut-1");
  await server.command("runs", "send", "nut-1", "packed", "true");
  await isShown(page, "Done");
  const forked = await server.command("runs", "fork", "nut-1", "--input", '{"item": "nut", "pieces": 8, "seconds_to_pack": 0}', "--json");
  const fork = JSON.parse(forked).id;
  const run = await server.until(`/api/runs/${encodeURIComponent(fork)}`, (one) => one.status === "succeeded");
  equal(run.result, 2000, "the fork's result");
  assert((await server.command("runs", "list")).includes("nut-1"), "the list has it");
});

// On the data of another server, which executes.
class Observer extends Server {
  constructor(executing) {
    super(executing.program, ["--observe"]);
    this.own = this.folder;
    this.folder = executing.folder;
  }
  async end() {
    this.folder = this.own;
    await super.end();
  }
}

test("an observer shows live what another process executes, and what is asked of it is done there", async (page, { server }) => {
  const observer = new Observer(server);
  try {
    await observer.start();
    await page.goto(`${observer.url}/workflows`);
    await page.getByText("Observing", { exact: true }).waitFor();
    await accessible(page);
    await startButton(page).click();
    await formOf(page).getByLabel("item", { exact: true }).fill("rope");
    await formOf(page).getByLabel("pieces", { exact: true }).fill("6");
    await formOf(page).getByLabel("seconds_to_pack", { exact: true }).fill("3600");
    await formOf(page).getByRole("button", { name: "Start a run", exact: true }).click();
    await page.waitForURL(/\/runs\/./);
    const id = decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
    await isShown(page, "Waiting");
    await packed(server, id); // asked of the executing server; the observer hears of it by the store
    await isShown(page, "Done");
    equal((await server.get(`/api/runs/${encodeURIComponent(id)}`)).result, 1500, "the result");

    // What is asked through the observer.
    const second = (await observer.post("/api/workflows/SELL/runs", { input: { item: "nut", seconds_to_pack: 3600 } })).id;
    await page.goto(`${observer.url}/runs/${encodeURIComponent(second)}`);
    await isShown(page, "Waiting");
    await page.getByRole("button", { name: "Cancel" }).first().click();
    await page.getByRole("dialog", { name: "Cancel this run?" }).getByRole("button", { name: "Cancel", exact: true }).click();
    await isShown(page, "Canceled");

    // Who executes dies: it is still shown, and asking says why not.
    await server.kill();
    const refused = await fetch(`${observer.url}/api/runs/${encodeURIComponent(second)}/retry`, { method: "POST" });
    equal(refused.status, 503, "nobody to ask");
    equal((await observer.get(`/api/runs/${encodeURIComponent(second)}`)).status, "canceled", "it is still shown");
  } finally {
    await observer.end();
    if (server.process.exitCode !== null || server.process.signalCode !== null) await server.start();
  }
});

test("an observer of a store with tokens is signed in to with one of them", async (page, { server }) => {
  const own = new Server(server.program);
  const observer = new Observer(own);
  try {
    const { token } = JSON.parse(await own.command("tokens", "create", "--organization", "default", "--name", "page", "--json"));
    await own.start();
    await observer.start();
    await page.goto(`${observer.url}/workflows`);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Observing", { exact: true }).waitFor();
    await startButton(page).click();
    await formOf(page).getByLabel("item", { exact: true }).fill("rope");
    await formOf(page).getByRole("button", { name: "Start a run", exact: true }).click();
    await page.waitForURL(/\/runs\/./);
    await isShown(page, "Done");
  } finally {
    await observer.end();
    await own.end();
  }
});
