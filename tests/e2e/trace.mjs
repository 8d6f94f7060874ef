// trace.mjs — the tasks of a page's main thread, from the browser's own trace, and what the longest was made of.
// BELAY_TRACE=FILE keeps the last trace, for chrome://tracing.
import { writeFileSync } from "node:fs";

const kCategories = ["disabled-by-default-devtools.timeline", "devtools.timeline", "toplevel", "__metadata"];

// Gives { tasks: ms each, longest, why } for what happens during `work`. Times are those on the processor where the
// trace has them: another program's turn is no work of the page.
export async function traced(page, work) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories: kCategories } });
  await work();
  const whole = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await whole;
  await session.detach();
  if (process.env.BELAY_TRACE) writeFileSync(process.env.BELAY_TRACE, JSON.stringify({ traceEvents: events }));

  // The browser has several renderers; ours is the one that worked most.
  const mains = new Map(events.filter((one) => one.name === "thread_name" && one.args?.name === "CrRendererMain").map((one) => [`${one.pid} ${one.tid}`, { tasks: [], parts: [] }]));
  for (const one of events) {
    const main = mains.get(`${one.pid} ${one.tid}`);
    if (main && one.ph === "X") (one.name === "RunTask" ? main.tasks : main.parts).push(one);
  }
  const cost = (one) => (one.tdur ?? one.dur ?? 0) / 1000;
  const worked = ({ tasks }) => tasks.reduce((sum, one) => sum + (one.dur ?? 0), 0);
  const { tasks, parts } = [...mains.values()].sort((a, b) => worked(b) - worked(a))[0] ?? { tasks: [], parts: [] };
  const longest = tasks.reduce((most, one) => (most && cost(most) >= cost(one) ? most : one), undefined);
  const inside = longest ? parts.filter((one) => one.ts >= longest.ts && one.ts + (one.dur ?? 0) <= longest.ts + longest.dur && cost(one) >= 2) : [];
  const where = ({ url, functionName, lineNumber, columnNumber } = {}) => (lineNumber === undefined ? "" : ` ${functionName || "(anonymous)"} ${url ? new URL(url).pathname : "not of the page"}:${lineNumber}:${columnNumber}`);
  const why = inside.sort((a, b) => cost(b) - cost(a)).slice(0, 8).map((one) => `${one.name}${where(one.args?.data)} ${cost(one).toFixed(1)} ms`).join(", ");
  return { tasks: tasks.map(cost), longest: longest ? cost(longest) : 0, why };
}

const kLongestMs = 50; // the promise of docs/page.md
const kAttempts = 3; // a machine that does other things makes one long now and then; a page that is slow makes all

// Fails unless one of three attempts had no task above the limit. `attempt` gives what `traced` gave.
export async function shortTasks(attempt, longestMs = kLongestMs) {
  const seen = [];
  for (let n = 0; n < kAttempts; n++) {
    const told = await attempt(n);
    if (told.tasks.length <= 20) throw new Error(`the trace has only ${told.tasks.length} tasks`);
    const line = `${told.tasks.length} tasks, above 16 ms: ${told.tasks.filter((ms) => ms > 16).length}, the longest ${told.longest.toFixed(1)} ms (${told.why || "nothing in it above 2 ms"})`;
    console.log(`    ${line}`);
    if (told.longest <= longestMs) return;
    seen.push(line);
  }
  throw new Error(`a task of more than ${longestMs} ms in each of ${kAttempts} attempts:\n      ${seen.join("\n      ")}`);
}
