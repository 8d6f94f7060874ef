// work.mjs — the work that every peer in JavaScript is given, and how it is counted.
//
// A peer gives `run(kind, input)`: start a workflow of that kind and wait for its end.
//   sequence {workflow, steps}  steps one after the other, each returning `value`
//   chord    {workflow, width}  steps side by side, then one that joins them
//   sleeper  {workflow}         an hour's sleep; `run` returns when it is accepted
// One line of JSON is printed per call: node PEER.mjs W1 RUNS IN_FLIGHT | W2 STEPS | W3 WIDTH TIMES | W4 RUNS

// About 50 bytes of JSON, as Belay's own benchmark records per step.
export const value = (workflow, step) => ({ workflow: workflow + 1_000_000, step, status: 'ok', v: 12345 });

export function percentile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

// Calls job(0) … job(count - 1), `width` at a time; how long each took, in milliseconds.
export async function pump(count, width, job) {
  const took = [];
  let next = 0;
  const one = async () => {
    while (next < count) {
      const mine = next++;
      const start = performance.now();
      await job(mine);
      took.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, one));
  return took;
}

const works = {
  async W1(run, runs, inFlight) {
    const job = (workflow) => run('sequence', { workflow, steps: 10 });
    await pump(Math.min(300, runs), inFlight, job);  // warm
    const start = performance.now();
    const took = await pump(runs, inFlight, job);
    const seconds = (performance.now() - start) / 1000;
    return { steps_per_s: (runs * 10) / seconds, run_p50_ms: percentile(took, 0.5), run_p99_ms: percentile(took, 0.99) };
  },
  async W2(run, steps) {
    await run('sequence', { workflow: 0, steps: 20 });
    const start = performance.now();
    await run('sequence', { workflow: 1, steps });
    return { ms_per_step: (performance.now() - start) / steps };
  },
  async W3(run, width, times) {
    const job = (workflow) => run('chord', { workflow, width });
    await job(0);
    const took = await pump(times, 1, job);
    return { ms_per_chord: percentile(took, 0.5) };
  },
  async W4(run, runs) {
    const start = performance.now();
    await pump(runs, 500, (workflow) => run('sleeper', { workflow }));
    return { accepted_s: (performance.now() - start) / 1000 };
  },
};

export async function measure(run) {
  const [work, ...numbers] = process.argv.slice(2);
  const figures = await works[work](run, ...numbers.map(Number));
  console.log(JSON.stringify({ work, ...figures }));
}
