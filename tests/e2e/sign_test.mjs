// sign_test.mjs — who one is: signing in with a token, tokens made and revoked on the page, who did what, whose files. On
// servers of their own: the first token shuts out everybody who has none.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { accessible, assert, equal, says, test } from "./harness.mjs";
import { receipt } from "./papers.mjs";
import { picture } from "./pictures.mjs";
import { Server } from "./server.mjs";

async function withServer(server, work) {
  const own = new Server(server.program, server.options);
  await own.start();
  try {
    await work(own);
  } finally {
    await own.end();
  }
}
const secretOf = (printed) => /belay_[\w-]+/.exec(printed)[0];
const tokenOf = async (own, name, organization = "default") => secretOf(await own.command("tokens", "create", "--organization", organization, "--name", name));

test("a token signs in: no script can read what is kept, a foreign request changes nothing, and signing out ends it", async (page, { server }) => {
  await withServer(server, async (own) => {
    const secret = await tokenOf(own, "anna");
    await page.goto(`${own.url}/operations`);
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await accessible(page);
    await page.getByLabel("Token").fill("belay_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("unknown or revoked").waitFor();
    await page.getByLabel("Token").fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();

    const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
    assert(!kept.includes("belay_session") && !kept.includes(secret), `a script can read ${kept}`);
    const [cookie] = (await page.context().cookies()).filter((one) => one.name.startsWith("belay_session"));
    equal([cookie.httpOnly, cookie.sameSite], [true, "Strict"], "the cookie");
    await page.getByRole("link", { name: "default", exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    // What the browser sends by itself is not enough.
    const without = await page.evaluate(() => fetch("/api/settings", { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"language":"de"}' }).then((answer) => answer.status));
    equal(without, 403, "a change without the page's word");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();

    await page.getByRole("link", { name: "default", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    const later = await fetch(`${own.url}/api/runs`, { headers: { cookie: `${cookie.name}=${cookie.value}` } });
    equal(later.status, 401, "a copy of the cookie");
  });
});

test("tokens are made, named, used and revoked on the page, and whoever has one is shut out at once", async (page, { server, browser }) => {
  await withServer(server, async (own) => {
    await page.goto(`${own.url}/settings`);
    const tokens = page.getByRole("region", { name: "Tokens" });
    await tokens.getByText("There are none yet").waitFor();
    await accessible(page);
    const make = async (name) => {
      await tokens.getByRole("button", { name: "Make a token" }).click();
      await page.getByLabel("Name").fill(name);
      await page.getByRole("dialog").getByRole("button", { name: "Make a token" }).click();
      const secret = await page.locator("[data-secret]").textContent();
      await accessible(page);
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      return secret.trim();
    };
    await make("this desk");
    await tokens.getByRole("row").filter({ hasText: "this desk" }).getByText("this page").waitFor();
    const second = await make("the scanner");
    equal((await fetch(`${own.url}/api/runs`)).status, 401, "without a token");
    equal((await fetch(`${own.url}/api/runs`, { headers: { authorization: `Bearer ${second}` } })).status, 200, "with the second");
    assert(!(await page.content()).includes(second), "the secret is shown once");

    // Somebody else's page, signed in with the second, hears that it is over without asking for anything.
    const context = await browser.newContext({ baseURL: own.url, locale: "en-US" });
    const other = await context.newPage();
    await other.goto("/runs");
    await other.getByLabel("Token").fill(second);
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await page.reload();
    await tokens.getByRole("row").filter({ hasText: "the scanner" }).getByText(/now|ago|second|minute/).first().waitFor();
    await tokens.getByRole("button", { name: "Revoke the scanner" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await context.close();
    equal((await fetch(`${own.url}/api/runs`, { headers: { authorization: `Bearer ${second}` } })).status, 401, "the revoked one");

    const audit = page.getByRole("region", { name: "Who did what" });
    await audit.getByRole("row").filter({ hasText: "revoked a token" }).getByText("the scanner").waitFor();
    equal(await audit.getByRole("row").filter({ hasText: "made a token" }).count(), 2, "made");
  });
});

test("who deleted, corrected and retried is told, with their token and what it was", async (page, { server }) => {
  await withServer(server, async (own) => {
    const gone = await own.upload("gone.png", picture(), "image/png", "image");
    await own.until(`/api/runs/${gone.workflow_run_id}`, (run) => ["succeeded", "failed"].includes(run.status));
    const secret = await tokenOf(own, "bertil");
    const as = (path, method, body) => fetch(own.url + path, { method, headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    equal((await as(`/api/files/${gone.file_id}`, "DELETE")).status, 204, "deleted");
    equal((await as("/api/settings", "PATCH", { home_currency: "EUR" })).status, 200, "a setting");
    await page.goto(`${own.url}/settings`);
    await page.getByLabel("Token").fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    const audit = page.getByRole("region", { name: "Who did what" });
    await audit.getByRole("row").filter({ hasText: "deleted" }).filter({ hasText: "bertil" }).getByText("gone.png").waitFor();
    await audit.getByRole("row").filter({ hasText: "changed a setting" }).getByText("EUR").waitFor();
    await audit.getByLabel("What was done").selectOption("delete");
    await page.waitForFunction(() => document.querySelectorAll(".audit tbody tr").length === 1);
    await accessible(page);
  });
});

test("without tokens one chooses whose files to see, and sees only those", async (page, { server }) => {
  await withServer(server, async (own) => {
    await page.goto(own.url);
    await page.getByRole("heading", { level: 2, name: "Files", exact: true }).waitFor();
    // What arrives for another organization: a session for it, as a page has it.
    const opened = await fetch(`${own.url}/api/session`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ organization: "acme" }) });
    const cookie = opened.headers.get("set-cookie").split(";")[0];
    const form = new FormData();
    form.append("workflow_type", "image");
    form.append("files", new Blob([picture()], { type: "image/png" }), "of-acme.png");
    const taken = await fetch(`${own.url}/ingest/upload`, { method: "POST", body: form, headers: { cookie, "X-CSRF-Token": (await opened.json()).csrf } });
    equal(taken.status, 202, "taken");
    await page.goto(`${own.url}/settings`);
    await page.getByLabel("Organization").selectOption("acme");
    await page.getByRole("link", { name: "acme", exact: true }).waitFor();
    await page.getByRole("link", { name: "Uploads" }).click();
    await page.getByText("of-acme.png").waitFor();
    await page.getByRole("link", { name: "acme", exact: true }).click();
    await page.getByLabel("Organization").selectOption("default");
    await page.getByRole("link", { name: "Uploads" }).click();
    await page.getByText("No files yet").waitFor();
  });
});

test("the books' own accounts and currency are in the SIE file", async (page, { server, browser }) => {
  await withServer(server, async (own) => {
    const bytes = await receipt(browser, { shop: "Bokens Hus", day: "2026-08-03", rows: [["Bok", 250]] });
    const taken = await own.upload("kvitto.png", bytes, "image/png", "receipt");
    await own.until(`/api/runs/${taken.workflow_run_id}`, (run) => run.status === "succeeded");
    const entries = (await own.get(`/api/receipts/${taken.file_id}`)).entries;
    const from = entries[0].account_code;
    await page.goto(`${own.url}/settings`);
    const books = page.getByRole("region", { name: "Your books" });
    await books.getByRole("button", { name: "Add an account" }).click();
    await books.getByLabel("Proposed account 1").fill(from);
    await books.getByLabel("Your account 1").fill("9876");
    await says(page, "Saved.", () => books.getByRole("button", { name: "Save" }).click());
    const sie = async () => (await fetch(`${own.url}/api/export/sie`)).text();
    assert((await sie()).includes("9876") && !(await sie()).includes(` ${from} `), "the account of the books");
    await books.getByLabel("Home currency").fill("eur");
    await says(page, "Saved.", () => books.getByRole("button", { name: "Save" }).click());
    const left = await sie();
    assert(/1 receipt in another currency than EUR/.test(left), `what is left out: ${left}`);
  });
});

test("a webhook is set on the page, told of the next end, and taken away", async (page, { server }) => {
  await withServer(server, async (own) => {
    const heard = [];
    const receiver = createServer((request, answer) => {
      let body = "";
      request.on("data", (bytes) => (body += bytes));
      request.on("end", () => {
        heard.push({ body: JSON.parse(body), signature: request.headers["belay-signature"], raw: body });
        answer.writeHead(204).end();
      });
    });
    await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    try {
      await page.goto(`${own.url}/settings`);
      const hook = page.getByRole("region", { name: "Webhook" });
      await hook.getByLabel("Its address").fill(`http://127.0.0.1:${receiver.address().port}/hook`);
      await hook.getByLabel(/Secret to sign with/).fill("a secret of many characters");
      await accessible(page);
      await says(page, "Saved.", () => hook.getByRole("button", { name: "Save" }).click());
      const taken = await own.upload("told.png", picture(), "image/png", "image");
      for (const end = Date.now() + 60_000; heard.length === 0; await new Promise((resolve) => setTimeout(resolve, 50))) assert(Date.now() < end, "nobody was told in 60 s");
      equal(heard[0].body.workflow_run_id, taken.workflow_run_id, "the run");
      const seconds = /t=(\d+)/.exec(heard[0].signature)[1];
      const wanted = createHmac("sha256", "a secret of many characters").update(`${seconds}.${heard[0].raw}`).digest("hex");
      assert(heard[0].signature.endsWith(wanted), "signed with the secret");
      assert(!(await (await fetch(`${own.url}/api/settings`)).text()).includes("a secret of many"), "the secret is told");
      await says(page, "Nobody is told any more.", () => hook.getByRole("button", { name: "Tell nobody" }).click());
      await own.upload("untold.png", Buffer.concat([picture(), Buffer.from("untold")]), "image/png", "image");
      await own.until("/api/uploads?q=untold", (told) => told.uploads[0]?.status === "classified");
      equal((await own.get("/api/runs?workflow_key=WEBHOOK")).total, 1, "told");
    } finally {
      receiver.close();
    }
  });
});

for (const [locale, language, words] of [
  ["sv-SE", "sv", { files: "Filer", operations: "Drift", count: "0 filer", money: "1 249,50" }],
  ["de-DE", "de", { files: "Dateien", operations: "Betrieb", count: "0 Dateien", money: "1.249,50" }],
]) {
  test(`the page speaks ${language} to a browser that does, with its numbers and days`, { locale }, async (page, { server }) => {
    await page.goto("/?q=no-such-file-anywhere");
    await page.getByRole("heading", { level: 2, name: words.files }).waitFor();
    equal(await page.evaluate(() => document.documentElement.lang), language, "the language");
    await page.getByText(words.count).waitFor();
    const english = ["Uploads", "Files", "Settings", "Search", "Every state"].filter((word) => word !== "Uploads" || language !== "de");
    const shown = await page.locator("body").innerText();
    for (const word of english) assert(!new RegExp(`\\b${word}\\b`).test(shown), `${word} is left in English`);
    for (const path of ["/runs", "/receipts", "/statements", "/documents", "/operations", "/review", "/settings", "/export", "/workflows"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
      await accessible(page);
    }
  });
}

test("a language is chosen in the settings and stays", async (page, { server }) => {
  await withServer(server, async (own) => {
    await page.goto(`${own.url}/settings`);
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor();
    equal((await own.get("/api/settings")).language, "de", "for the organization");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  });
});
