// test.mjs — runs src/**/*_test.ts: each is bundled by the same tool that builds the page, and run by node's own runner.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { build } from "esbuild";

const here = new URL("..", import.meta.url).pathname;
function testsIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    const path = join(folder, one.name);
    return one.isDirectory() ? testsIn(path) : one.name.endsWith("_test.ts") ? [path] : [];
  });
}
const out = mkdtempSync(join(tmpdir(), "belay-page-"));
try {
  // What the modules ask of a browser when they are loaded, and no more.
  const browser = "globalThis.navigator ??= { language: 'en-US' }; globalThis.localStorage ??= { getItem: () => null, setItem() {}, removeItem() {} }; globalThis.addEventListener ??= () => {};" + `globalThis.webSource = ${JSON.stringify(join(here, "src"))};`;
  await build({ entryPoints: testsIn(join(here, "src")), outdir: out, outExtension: { ".js": ".mjs" }, bundle: true, platform: "node", format: "esm", jsx: "automatic", banner: { js: browser }, external: ["node:*"], logLevel: "warning" });
  const ran = spawnSync(process.execPath, ["--test", ...readdirSync(out, { recursive: true }).map(String).filter((name) => name.endsWith(".mjs")).map((name) => join(out, name))], { stdio: "inherit" });
  process.exitCode = ran.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
