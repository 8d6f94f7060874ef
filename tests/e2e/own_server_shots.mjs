// own_server_shots.mjs PROGRAM FOLDER [ONLY] — pictures of a program's own page (examples/shop) for docs/your-own-server.md:
// its workflows, the form made from the struct, and a run under way. tests/install/server_run compiles the program.
import { openCamera } from "./camera.mjs";
import { Server } from "./server.mjs";

const [, , program, folder, only = ""] = process.argv;
const server = new Server(program);
const camera = await openCamera(folder, only);
try {
  await server.start();
  const submit = (input, id) => server.post("/api/workflows/SELL/runs", { input, id });
  const items = ["rope", "nut", "hook", "sling", "helmet"];
  for (let n = 0; n < 30; n++) await submit({ item: items[n % items.length], pieces: 1 + (n % 4), seconds_to_pack: 0 }, `order-${1000 + n}`);
  await server.until("/api/workflows/SELL", (told) => told.runs.succeeded === 30);
  await submit({ item: "rope", pieces: 3, seconds_to_pack: 3600 }, "order-1030");
  await server.until("/api/runs/order-1030", (told) => told.status === "waiting");

  const form = async (page) => {
    await page.getByRole("button", { name: "Start a run of SELL" }).click();
    await page.getByLabel("item", { exact: true }).fill("rope");
    await page.getByLabel("pieces", { exact: true }).fill("three");
    await page.getByText("A whole number is needed.").waitFor();
  };
  for (const look of ["light", "dark", "phone"]) {
    const tall = look === "phone" ? {} : { viewport: { width: 1200, height: 620 } };
    await camera.shoot(server.url, look, "shop-workflows", "/workflows", undefined, tall);
    await camera.shoot(server.url, look, "shop-form", "/workflows", undefined, tall, form);
    await camera.shoot(server.url, look, "shop-run", "/runs/order-1030", undefined, look === "phone" ? {} : { viewport: { width: 1200, height: 760 } });
  }
} finally {
  await camera.end();
  await server.end();
}
