// loss_test.mjs — a database that lost what it had acknowledged: said above every view, until somebody accepts it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { accessible, equal, test } from "./harness.mjs";
import { Server } from "./server.mjs";

test("a database without its -wal is said above every view until the loss is accepted", async (page, { server }) => {
  const own = new Server(server.program);
  try {
    await own.start();
    const asked = await fetch(`${own.url}/api/approvals`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ title: "lost" }) });
    equal(asked.status < 300, true, "an approval was taken");
    await own.kill();
    rmSync(join(own.folder, "data", "belay.db-wal"));
    await own.start();

    await page.goto(own.url);
    const warning = page.getByRole("alert").filter({ hasText: "Acknowledged work is missing." });
    await warning.getByText(/commits are lost/).waitFor();
    await accessible(page);
    await page.goto(`${own.url}/runs`);
    await warning.waitFor();

    await own.command("doctor", "--accept-loss").catch(() => {}); // it still has things to advise
    await page.reload();
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    equal(await warning.count(), 0, "warnings after the loss was accepted");
  } finally {
    await own.end();
  }
});
