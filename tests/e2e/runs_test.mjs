// runs_test.mjs — a run as it goes and as it went; a server that dies under an open page.
import { accessible, assert, equal, fileRow as row, test } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";

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
  await panel.getByText(/score/).first().waitFor(); // what it gave
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

test("runs are filtered by state", async (page, { server }) => {
  for (const [name, bytes, ends] of [["filtered-out.png", picture(), "succeeded"], ["filtered-1.png", brokenPicture(), "failed"], ["filtered-2.png", brokenPicture(), "failed"]]) {
    const taken = await server.upload(name, bytes, "image/png", "image");
    await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === ends);
  }
  await page.goto("/runs?status=failed");
  await page.waitForFunction(() => document.querySelectorAll(".run-row").length >= 2);
  const words = await page.locator(".run-row .state").allTextContents();
  assert(words.every((word) => word === "Failed"), `only failed ones: ${words}`);
});

test("a run is forked from a stage with another input, and the fork says where it comes from", async (page, { server }) => {
  const taken = await server.upload("fork-me.png", picture(), "image/png", "image");
  const other = await server.upload("instead.png", picture(), "image/png", "image");
  await server.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
  await server.until(`/api/runs/${other.workflow_run_id}`, (run) => run.status === "succeeded");
  await page.goto(`/runs/${taken.workflow_run_id}?stage=1`);

  await page.getByRole("button", { name: "Fork from here" }).click();
  const input = page.getByRole("textbox", { name: "Input" });
  await input.fill("{ not json");
  await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
  await page.getByText(/The input is not JSON/).waitFor();
  await input.fill(JSON.stringify({ file_id: other.file_id }));
  await accessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();

  await page.getByText("Forked from").waitFor();
  const id = decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
  const run = await server.until(`/api/runs/${encodeURIComponent(id)}`, (told) => ["succeeded", "failed"].includes(told.status));
  equal([run.forked_from, run.input.file_id, run.status], [taken.workflow_run_id, other.file_id, "succeeded"], "the fork");
});

test("a run under way is canceled with a reason", async (page, { server, web }) => {
  // A page that answers when it is let go: there is time to ask something of its run.
  const told = await fetch(`${server.url}/api/documents`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ url: `${web.url}/slow`, index: false }) }).then((answer) => answer.json());
  await page.goto(`/runs/${told.workflow_run_id}`);
  await web.asked();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel(/Reason/).fill("no longer wanted");
  const asked = page.waitForResponse((answer) => answer.url().endsWith("/cancel") && answer.request().method() === "POST");
  asked.catch(() => {});
  await page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }).click(); // the way out is called otherwise
  await asked; // only then may the page answer: a run that is done cannot be canceled
  web.letGo();
  await server.until(`/api/runs/${told.workflow_run_id}`, (run) => run.status === "canceled");
  await page.getByText("Canceled", { exact: true }).first().waitFor();
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
  await page.getByText(/Connection lost/).waitFor({ state: "detached" });
  assert(taken.workflow_run_id, "it has a run");
});

test("a page that was cut off hears every event that it missed, once and in order", async (page, { server }) => {
  const heard = []; // what the page was handed
  let cut = false;
  let lines = [];
  await page.routeWebSocket("**/api/live*", (ws) => {
    if (cut) return ws.close();
    const upstream = ws.connectToServer();
    upstream.onMessage((message) => {
      if (cut) return; // the other end of a line that is cut may still talk
      heard.push(JSON.parse(message));
      ws.send(message);
    });
    lines.push(ws, upstream);
  });
  await page.goto("/");
  await page.getByText("Live", { exact: true }).waitFor();

  cut = true;
  await Promise.all(lines.splice(0).map((end) => end.close()));
  await page.getByText(/Connection lost/).waitFor();
  const names = ["cut-a.png", "cut-b.png", "cut-c.png"];
  const runs = [];
  for (const name of names) runs.push((await server.upload(name, picture(), "image/png", "image")).workflow_run_id);
  for (const id of runs) await server.until(`/api/runs/${id}`, (run) => run.status === "succeeded");
  cut = false;
  // Unless the page was quicker: it connects by itself as well, after 15 s at most.
  await page.getByRole("button", { name: "Connect now" }).click({ timeout: 2000 }).catch(() => {});

  for (const name of names) await row(page, name).getByText("Done").waitFor();
  const ended = () => heard.filter((event) => event.type === "run_ended").map((event) => event.data.workflow_run_id ?? event.data.id);
  for (const end = Date.now() + 120_000; Date.now() < end && !runs.every((id) => ended().includes(id)); ) await page.waitForTimeout(50);
  for (const id of runs) equal(ended().filter((one) => one === id).length, 1, `ends heard of ${id}`);
  const ids = heard.filter((event) => event.type !== "hello").map((event) => event.id);
  assert(ids.every((id, at) => at === 0 || id > ids[at - 1]), "ids rise");
});

test("the script of the first load is at most 200 KiB compressed, and what is hashed is cached for ever", async (page) => {
  const sizes = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith(".js")) return;
    sizes.push(Number(response.headers()["content-length"]));
    if (!/immutable/.test(response.headers()["cache-control"] ?? "")) sizes.push(Number.NaN);
  });
  // Views are loaded ahead once the page is idle, and the live feed is never: the script of the first load is what is there
  // when the page shows.
  await page.goto("/", { waitUntil: "load" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  const bytes = sizes.reduce((sum, one) => sum + one, 0);
  assert(bytes > 0 && bytes <= 200 * 1024, `${bytes} bytes`);
});
