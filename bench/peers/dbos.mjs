// dbos.mjs — the work on DBOS: a library on PostgreSQL, as Belay is on its stores.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { measure, value } from './work.mjs';

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.PEER_POSTGRES,
  // 10 and 40 connections were tried; 40 is better with many runs in flight.
  systemDatabasePoolSize: 40,
  logLevel: 'error',
  runAdminServer: false,
});

const step = (name, workflow, number) => DBOS.runStep(async () => value(workflow, number), { name });

const kinds = {
  sequence: DBOS.registerWorkflow(async ({ workflow, steps }) => {
    let last;
    for (let i = 0; i < steps; ++i) last = await step('step', workflow, i);
    return last;
  }, { name: 'sequence' }),
  chord: DBOS.registerWorkflow(async ({ workflow, width }) => {
    const parts = await Promise.all(Array.from({ length: width }, (_, i) => step('part', workflow, i)));
    return DBOS.runStep(async () => ({ parts: parts.length }), { name: 'join' });
  }, { name: 'chord' }),
  sleeper: DBOS.registerWorkflow(async () => DBOS.sleep(3_600_000), { name: 'sleeper' }),
};

await DBOS.launch();
await measure(async (kind, input) => {
  const handle = await DBOS.startWorkflow(kinds[kind])(input);
  return kind === 'sleeper' ? undefined : handle.getResult();
});
if (process.argv[2] === 'W4') {
  console.log(JSON.stringify({ rss_mb: process.memoryUsage().rss / 1e6 }));
  process.exit(0);
}
await DBOS.shutdown();
process.exit(0);
