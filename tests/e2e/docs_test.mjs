// docs_test.mjs — the documentation that the server has under /docs: found, searched, read on a phone and in the dark.
import { accessible, assert, equal, test } from "./harness.mjs";

test("the documentation is under /docs, is searched by keyboard and asks nobody but this server", async (page, { server }) => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/docs");
  await page.waitForURL(/\/docs\/$/);
  await page.getByRole("heading", { level: 1, name: "Belay's documentation" }).waitFor();
  await accessible(page);

  await page.keyboard.press("/");
  await page.keyboard.type("retry after");
  const found = page.getByRole("option", { name: /RetryAfter/ }).first();
  await found.waitFor();
  await accessible(page);
  await found.click();
  await page.waitForURL(/\/docs\/api\/error\.html#retryafter$/);
  await page.getByRole("heading", { level: 2, name: "RetryAfter", exact: true }).waitFor();
  await accessible(page);
  equal(asked.filter((url) => !url.startsWith(`${server.url}/docs`)), [], "requests that left /docs");
});

test("the documentation fits a phone, and stays dark when that was chosen", async (page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/docs/queues.html");
  await page.getByRole("button", { name: "Light or dark" }).click();
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.getByRole("button", { name: "Pages" }).click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Schedules" }).click();
  await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
  equal(await page.evaluate(() => document.documentElement.dataset.theme), theme, "the theme of the next page");
  for (const path of ["schedules.html", "api/context.html", "coming-from.html", "constructs.html"]) {
    await page.goto(`/docs/${path}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 360, `${path} is ${wide} wide on a phone of 360`);
  }
  await accessible(page);
});

test("what is not in the documentation is not there, with the headers of every answer", async (page) => {
  const gone = await page.goto("/docs/nothing.html");
  equal(gone.status(), 404, "status");
  const there = await page.goto("/docs/steps.html");
  equal(there.status(), 200, "status");
  assert(there.headers()["content-security-policy"].includes("default-src 'self'"), "the policy of the page");
  equal(there.headers()["x-content-type-options"], "nosniff", "X-Content-Type-Options");
});
