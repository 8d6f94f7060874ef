// busy_test.mjs — waiting is told from work, pictures keep nobody waiting, and files that were cut off go on by themselves.
import { accessible, assert, equal, fileRow, test } from "./harness.mjs";
import { picture } from "./pictures.mjs";
import { receipt } from "./papers.mjs";

test("what waits for a reader is not said to run, in the list and in its run", async (page, { server, samples }) => {
  // More pages than there are readers.
  const scans = ["invoice-de-1-worn.pdf", "invoice-de-1-worn.pdf", "invoice-de-1-worn.pdf"];
  const taken = [];
  for (const [at, name] of scans.entries()) taken.push(await server.upload(`in-line-${at}.pdf`, Buffer.concat([samples.bytes(name), Buffer.from(`\n% line ${at}`)]), "application/pdf", "invoice"));
  await page.goto("/?q=in-line");
  await page.getByText("Waiting for a reader").first().waitFor();
  await accessible(page);
  const { jobs } = await server.until("/api/helper/jobs", (told) => told.jobs.some((job) => job.status === "waiting"));
  const waiting = jobs.find((job) => job.status === "waiting");
  await page.goto(`/runs/${waiting.workflow_run_id}`);
  await page.locator('.bar[data-look="queued"]').first().waitFor({ state: "attached" });
  for (const one of taken) await server.until(`/api/runs/${one.workflow_run_id}`, (run) => ["succeeded", "failed"].includes(run.status), 240_000);
});

test("pictures are asked for two at a time, made once, and what cannot be drawn has its sign", async (page, { server }) => {
  for (let n = 0; n < 10; n++) await server.upload(`small-${n}.png`, picture(), "image/png", "image");
  let now = 0;
  let most = 0;
  const seen = new Map();
  await page.route("**/thumbnail", async (route) => {
    most = Math.max(most, ++now);
    const answer = await route.fetch();
    now--;
    const id = new URL(route.request().url()).pathname;
    if (answer.headers()["content-type"] === "image/jpeg") seen.set(id, (seen.get(id) ?? 0) + 1);
    await route.fulfill({ response: answer });
  });
  await page.goto("/?q=small-");
  await page.waitForFunction(() => document.querySelectorAll(".thumb img").length === 10);
  assert(most <= 2, `${most} pictures were asked for at once`);
  equal([...seen.values()].filter((times) => times !== 1), [], "pictures that were fetched more than once");
  await page.goto("/runs");
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll(".thumb img").length === 10);
});

test("files that were cut off by a server that died go on when it is back", async (page, { server }) => {
  await page.goto("/");
  await page.getByRole("button", { name: /Drop files here/ }).waitFor();
  await server.kill();
  await page.locator("input[data-kind=image]").setInputFiles([0, 1, 2, 3, 4].map((n) => ({ name: `cut-off-${n}.png`, mimeType: "image/png", buffer: picture() })));
  await page.getByText("0 of 5 sent").waitFor();
  await page.getByText("Waits until the server is back").first().waitFor();
  await server.start();
  await page.getByText("5 of 5 sent").waitFor({ timeout: 60_000 }).catch(() => {}); // it goes with the last of them
  await server.until("/api/uploads?q=cut-off-", (told) => told.uploads.length === 5);
  equal(await page.getByText("Already here").count(), 0, "called twice");
});

test("a batch can be canceled, and says how far it is", async (page) => {
  await page.goto("/");
  const held = [];
  await page.route("**/ingest/upload", (route) => held.push(route));
  await page.locator("input[data-kind=image]").setInputFiles([0, 1, 2, 3, 4, 5].map((n) => ({ name: `never-${n}.png`, mimeType: "image/png", buffer: picture() })));
  await page.getByText("0 of 6 sent").waitFor();
  await accessible(page);
  await page.getByRole("button", { name: "Cancel all" }).click();
  await page.getByText("0 of 6 sent").waitFor({ state: "detached" });
  equal(await page.locator(".sending").count(), 0, "on their way");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("what a file is, is found out from its content; where that is unsure somebody is asked", async (page, { server, samples, browser }) => {
  await page.goto("/");
  const paper = await receipt(browser, { shop: "Gissa Rätt", day: "2026-07-01", rows: [["Nyckel", 59]] });
  await page.locator("input[data-kind=guess]").setInputFiles([
    { name: "scan-0001.png", mimeType: "image/png", buffer: paper },
    { name: "dsc-0002.png", mimeType: "image/png", buffer: picture() },
    { name: "faktura-0003.pdf", mimeType: "application/pdf", buffer: Buffer.concat([samples.bytes("invoice-en-1.pdf"), Buffer.from("\n% guess")]) },
  ]);
  const kinds = async (query) => (await server.until(`/api/uploads?q=${query}`, (told) => told.uploads.length === 1)).uploads[0].workflow_type;
  equal(await kinds("scan-0001"), "receipt", "light and grey");
  equal(await kinds("dsc-0002"), "image", "colourful");
  equal(await kinds("faktura-0003"), "invoice", "called an invoice");

  // Between paper and photo: half of it is grey, and it is tall.
  const unsure = await browser.newPage({ viewport: { width: 300, height: 420 } });
  await unsure.setContent('<style>body{margin:0;background:linear-gradient(#ddd 45%,#678 45%)}</style>');
  const bytes = await unsure.screenshot();
  await unsure.close();
  await page.locator("input[data-kind=guess]").setInputFiles({ name: "img-0004.png", mimeType: "image/png", buffer: bytes });
  await page.getByText("What is it? We are not sure.").waitFor();
  await accessible(page);
  await page.getByLabel("What img-0004.png is").selectOption("image");
  equal(await kinds("img-0004"), "image", "as somebody said");
  await fileRow(page, "img-0004.png").waitFor();
});
