// cloudflare.mjs — Cloudflare Workflows as they run on one machine: miniflare, which `wrangler dev` is made of,
// without its proxy in between (faster so).
import fs from 'node:fs';
import http from 'node:http';
import { Miniflare } from 'miniflare';
import { measure } from './work.mjs';

const waiting = new Map();
const listener = http.createServer((request, response) => {
  const key = request.url.slice(1);
  response.end('ok');
  waiting.get(key)?.();
  waiting.delete(key);
});
listener.keepAliveTimeout = 120_000;  // a worker's call on a connection that we close would be lost
await new Promise((ready) => listener.listen(0, '127.0.0.1', ready));
const home = `http://127.0.0.1:${listener.address().port}`;

const here = new URL('.', import.meta.url);
const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: fs.readFileSync(new URL('cloudflare_worker.mjs', here), 'utf8') }],
  compatibilityDate: '2026-04-01',
  host: '127.0.0.1',
  workflows: { sequence: { name: 'sequence', className: 'Sequence' }, chord: { name: 'chord', className: 'Chord' } },
  workflowsPersist: process.env.PEER_FOLDER,
});
const address = await worker.ready;

// The local runtime now and then closes a connection that it has just answered on; asked again, it goes on.
async function start(kind, body, tries = 5) {
  try {
    const answer = await fetch(new URL(kind, address), { method: 'POST', body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
  } catch (error) {
    if (tries === 0) throw error;
    await start(kind, body, tries - 1);
  }
}

let runs = 0;
await measure(async (kind, input) => {
  const key = String(++runs);
  const ended = new Promise((resolve) => waiting.set(key, resolve));
  await start(kind, JSON.stringify({ ...input, done: `${home}/${key}` }));
  await ended;
});
await worker.dispose();
process.exit(0);
