// folders.mjs — folders of their own for tests, and the processes that work in them: gone when the test program ends,
// however it ends. Only SIGKILL leaves something behind; the next program removes that when it is a day old.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kOldMs = 24 * 3600 * 1000;
const ours = /^belay-(e2e|samples)-/;
const folders = new Set();
const children = new Set();

export function newFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `belay-${name}-`));
  folders.add(folder);
  return folder;
}
export function removeFolder(folder) {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
// `child` is ended with this program.
export function keep(child) {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

// What programs that were killed have left; gives how many folders.
export function removeOld(place = tmpdir(), now = Date.now()) {
  let removed = 0;
  for (const name of readdirSync(place)) {
    if (!ours.test(name)) continue;
    try {
      if (now - statSync(join(place, name)).mtimeMs < kOldMs) continue;
      rmSync(join(place, name), { recursive: true, force: true });
      removed++;
    } catch {
      // Somebody else's, or somebody else was quicker.
    }
  }
  return removed;
}

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of [...folders]) removeFolder(folder);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
removeOld();
