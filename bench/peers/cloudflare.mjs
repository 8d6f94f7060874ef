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

let runs = 0;
await measure(async (kind, input) => {
  const key = String(++runs);
  const ended = new Promise((resolve) => waiting.set(key, resolve));
  const answer = await fetch(new URL(kind, address), { method: 'POST', body: JSON.stringify({ ...input, done: `${home}/${key}` }) });
  if (!answer.ok) throw new Error(await answer.text());
  await ended;
});
await worker.dispose();
process.exit(0);
