// server.mjs — the real `belay serve` on a folder of its own, to be asked, killed and started again.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keep, newFolder, removeFolder } from "./folders.mjs";

const kReadyMs = 120_000;
const deps = new URL("../../build/deps/", import.meta.url).pathname;

export class Server {
  constructor(program, options = []) {
    this.program = program;
    this.options = options;
    this.folder = newFolder("e2e");
    this.url = "";
    this.log = "";
    this.environment = {}; // beside ours
  }

  // On the port of its last life, so that a page that was open finds it again.
  async start() {
    const port = this.url ? new URL(this.url).port : "0";
    const environment = { ...process.env, ...this.environment };
    for (const [name, place] of [
      ["BELAY_CLASSIFIER_FOLDER", "classifier"],
      ["BELAY_EMBEDDER", "embedder/words.vec"],
    ]) {
      if (!environment[name] && existsSync(join(deps, place))) environment[name] = join(deps, place);
    }
    this.process = keep(spawn(this.program, ["serve", "--data", join(this.folder, "data"), "--listen", `127.0.0.1:${port}`, "--access-log", "off", ...this.options], { env: environment, stdio: ["ignore", "pipe", "pipe"] }));
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the server was not ready in ${kReadyMs} ms:\n${this.log}`)), kReadyMs);
      const hear = (bytes) => {
        this.log += bytes;
        const ready = / (?:is ready|observes \S+) at (\S+)/.exec(this.log);
        if (!ready) return;
        clearTimeout(late);
        this.url = ready[1];
        resolve();
      };
      this.log = "";
      this.process.stdout.on("data", hear);
      this.process.stderr.on("data", hear);
      this.process.on("exit", (code) => reject(new Error(`the server ended with ${code}:\n${this.log}`)));
    });
  }

  // Another command on the same data, as an operator types it.
  async command(...words) {
    return new Promise((resolve, reject) => {
      execFile(this.program, [...words, "--data", join(this.folder, "data")], (error, out, told) => (error ? reject(new Error(`${words.join(" ")}: ${told || error.message}`)) : resolve(out)));
    });
  }

  // As a power cut does it.
  async kill() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }
  async end() {
    if (this.process && this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    removeFolder(this.folder);
  }

  async get(path) {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
  async post(path, body) {
    const answer = await fetch(this.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
  async upload(name, bytes, type, kind) {
    const form = new FormData();
    if (kind) form.append("workflow_type", kind);
    form.append("files", new Blob([bytes], { type }), name);
    const answer = await fetch(`${this.url}/ingest/upload`, { method: "POST", body: form });
    if (!answer.ok) throw new Error(`upload of ${name}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).uploads[0];
  }
  // Asks until `good` says so; the store has the truth, the page only shows it.
  async until(path, good, ms = 120_000) {
    const end = Date.now() + ms;
    for (;;) {
      const told = await this.get(path);
      if (good(told)) return told;
      if (Date.now() > end) throw new Error(`${path} was not as wanted in ${ms} ms: ${JSON.stringify(told).slice(0, 600)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
