// shots.mjs BELAY FOLDER — pictures of every view for docs/images, from the real server with papers drawn here.
//
// Run it on a quiet machine and look at what it made: node tests/e2e/shots.mjs build/dev/belay docs/images
import { launch } from "./harness.mjs";
import { brokenPicture, picture } from "./pictures.mjs";
import { Server } from "./server.mjs";

const [, , program, folder] = process.argv;
const server = new Server(program);
await server.start();
const browser = await launch();

// A receipt as a shop prints it; the browser draws it.
async function receipt(shop, day, rows) {
  const total = rows.reduce((sum, [, amount]) => sum + amount, 0);
  const page = await browser.newPage({ viewport: { width: 420, height: 640 } });
  const lines = rows.map(([name, amount]) => `<p><span>${name}</span><span>${amount.toFixed(2)}</span></p>`).join("");
  await page.setContent(
    `<style>body{font:20px "DejaVu Sans Mono",monospace;padding:28px;background:#fff;color:#111}p{display:flex;justify-content:space-between;margin:8px 0}h1{font-size:28px;text-align:center}</style>` +
      `<h1>${shop}</h1><p>Org.nr 556036-0793</p><p>Datum: ${day} 14:32</p><hr>${lines}<hr><p><b>TOTAL</b><b>${total.toFixed(2)} SEK</b></p><p><span>Moms 25%</span><span>${(total * 0.2).toFixed(2)}</span></p><p>Kort ************1234</p>`,
  );
  const bytes = await page.screenshot();
  await page.close();
  return bytes;
}

const good = await server.upload("sunset.png", picture(320), "image/png", "image");
const bad = await server.upload("broken.png", brokenPicture(), "image/png", "image");
const paper = await server.upload("lunch.png", await receipt("Café Sten", "2026-10-12", [["Soppa", 95], ["Kaffe", 32], ["Bulle", 28]]), "image/png", "receipt");
for (const one of [good, bad, paper]) {
  await server.until(`/api/runs/${one.workflow_run_id}`, (run) => ["succeeded", "failed"].includes(run.status));
}
const views = { uploads: "/", run: `/runs/${paper.workflow_run_id}?stage=1`, failed: `/runs/${bad.workflow_run_id}?stage=1`, receipt: `/receipts/${paper.file_id}`, statements: "/statements", documents: "/documents", operations: "/operations" };
for (const [mode, options] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" }, phone: { viewport: { width: 390, height: 844 } } })) {
  const context = await browser.newContext({ baseURL: server.url, locale: "en-US", viewport: { width: 1200, height: 760 }, ...options });
  const page = await context.newPage();
  for (const [name, path] of Object.entries(views)) {
    await page.goto(path);
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    await page.screenshot({ path: `${folder}/${name}${mode === "light" ? "" : `-${mode}`}.png` });
  }
  await context.close();
}
await browser.close();
await server.end();
