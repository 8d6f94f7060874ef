// restate_service.mjs — the workflows that the Restate server calls.
import http2 from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import { value } from './work.mjs';

const step = (ctx, name, workflow, number) => ctx.run(name, () => value(workflow, number));

const bench = restate.service({
  name: 'bench',
  handlers: {
    sequence: async (ctx, { workflow, steps }) => {
      let last;
      for (let i = 0; i < steps; ++i) last = await step(ctx, 'step', workflow, i);
      return last;
    },
    chord: async (ctx, { workflow, width }) => {
      const parts = Array.from({ length: width }, (_, i) => step(ctx, 'part', workflow, i));
      const joined = await restate.RestatePromise.all(parts);
      return ctx.run('join', () => ({ parts: joined.length }));
    },
    sleeper: async (ctx) => ctx.sleep(3_600_000),
  },
});

http2.createServer(restate.createEndpointHandler({ services: [bench] })).listen(Number(process.argv[2]), '127.0.0.1');
