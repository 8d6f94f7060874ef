// restate.mjs — asks the Restate server for the work, over its ingress.
import http from 'node:http';
import { measure } from './work.mjs';

const agent = new http.Agent({ keepAlive: true, maxSockets: 2000 });

function post(path, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const options = {
      host: '127.0.0.1', port: process.env.PEER_PORT, path, method: 'POST', agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    };
    const request = http.request(options, (response) => {
      let answer = '';
      response.on('data', (part) => { answer += part; });
      response.on('end', () => (response.statusCode < 300 ? resolve(answer) : reject(new Error(answer))));
    });
    request.on('error', reject);
    request.end(text);
  });
}

await measure((kind, input) => post(`/bench/${kind}${kind === 'sleeper' ? '/send' : ''}`, input));
process.exit(0);
