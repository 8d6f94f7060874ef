// papers.mjs — files to give the server: sample documents with known answers, and papers and photos that the browser
// draws, because a receipt that belongs to a line of a statement has to be made for it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { newFolder, removeFolder } from "./folders.mjs";

// The documents of belay-samples (built beside belay; BELAY_SAMPLES names a folder that has them already). They are
// drawn when the first is asked for.
export class Samples {
  constructor(program) {
    this.folder = process.env.BELAY_SAMPLES;
    this.tool = join(dirname(program), "belay-samples");
    if (!this.folder && !existsSync(this.tool)) throw new Error(`${this.tool} is not there: cmake --build build/dev --target belay_samples_program`);
  }
  place(name) {
    if (!this.folder) {
      this.made = this.folder = newFolder("samples");
      execFileSync(this.tool, [this.folder, "1", "1"], { stdio: "ignore" });
    }
    return join(this.folder, name);
  }
  bytes(name) {
    return readFileSync(this.place(name));
  }
  truth(name) {
    return JSON.parse(readFileSync(this.place(`${name}.json`), "utf8"));
  }
  end() {
    if (this.made) removeFolder(this.made);
  }
}

async function drawn(browser, width, height, html) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(html);
  const bytes = await page.screenshot();
  await page.close();
  return bytes;
}

// A number of its own for each shop, with the check digit that such numbers have: shops are known by it.
function orgnr(shop) {
  let digits = "556";
  let seed = 7;
  for (const letter of shop) seed = (seed * 31 + letter.codePointAt(0)) % 1_000_003;
  digits += String(seed % 1_000_000).padStart(6, "0");
  const sum = [...digits].reduce((all, digit, at) => {
    const twice = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return all + (twice > 9 ? twice - 9 : twice);
  }, 0);
  digits += (10 - (sum % 10)) % 10;
  return `${digits.slice(0, 6)}-${digits.slice(6)}`;
}

// A receipt as a shop prints it. `rows`: [name, amount] each.
export function receipt(browser, { shop, day, rows, vat = 25, currency = "SEK" }) {
  const total = rows.reduce((sum, [, amount]) => sum + amount, 0);
  const line = (name, amount, strong = "") => `<p ${strong}><span>${name}</span><span>${amount}</span></p>`;
  return drawn(
    browser,
    560,
    400 + rows.length * 44,
    `<style>body{font:24px "DejaVu Sans Mono",monospace;padding:24px 34px;background:#fff;color:#111}p{display:flex;justify-content:space-between;margin:12px 0}h1{font-size:32px;text-align:center;margin:8px 0}.sum{font-size:30px;font-weight:bold}.note{justify-content:center}</style>` +
      `<h1>${shop}</h1><p class="note">Org.nr ${orgnr(shop)}</p>${line("Datum", `${day} 14:32`)}<hr>${rows.map(([name, amount]) => line(name, amount.toFixed(2))).join("")}<hr>` +
      line(`TOTALT ${currency}`, total.toFixed(2), 'class="sum"') +
      line(`Moms ${vat}%`, ((total * vat) / (100 + vat)).toFixed(2)) +
      line("Kort", "************1234"),
  );
}

// Photos that a classifier knows: a clock on a wall, and a traffic light.
export function photo(browser, what, size = 320) {
  const hands = `<line x1="0" y1="0" x2="0" y2="-52" stroke-width="7"/><line x1="0" y1="0" x2="44" y2="26" stroke-width="5"/>`;
  const marks = Array.from({ length: 12 }, (_, n) => `<text x="${70 * Math.sin((n * Math.PI) / 6)}" y="${-70 * Math.cos((n * Math.PI) / 6) + 7}" font-size="20" text-anchor="middle" stroke="none" fill="#111">${n || 12}</text>`).join("");
  const pictures = {
    clock: `<rect x="-160" y="-160" width="320" height="320" fill="#b9a98c" stroke="none"/><circle r="112" fill="#3a2c20"/><circle r="98" fill="#fbf8ee"/>${marks}<g stroke="#111" stroke-linecap="round">${hands}</g><circle r="6" fill="#111"/>`,
    light: `<rect x="-160" y="-160" width="320" height="320" fill="#9cc4e4" stroke="none"/><rect x="-8" y="100" width="16" height="80" fill="#333"/><rect x="-52" y="-130" width="104" height="236" rx="18" fill="#22261f"/><circle cy="-88" r="31" fill="#e02a1c"/><circle cy="-12" r="31" fill="#57430f"/><circle cy="64" r="31" fill="#12451f"/>`,
  };
  return drawn(browser, size, size, `<style>body{margin:0}</style><svg width="${size}" height="${size}" viewBox="-160 -160 320 320" font-family="DejaVu Sans">${pictures[what]}</svg>`);
}

// A small web, served from here: name → [title, paragraphs, links].
export class Web {
  pages = {
    "/anchors": ["Anchors on a long climb", ["A belay anchor holds when everything else has failed. Guides build it from three independent points, because any one of them may pull out of the rock.", "The rope is clipped before the climber moves on. What is behind the last anchor cannot be lost by a fall: that is the whole idea of protection.", "On alpine ground the anchors are far apart, and a leader thinks twice about every move between them."], ["/knots", "/weather"]],
    "/knots": ["Knots that hold a fall", ["The figure of eight is the knot that climbers trust. It is easy to check, and it does not come loose by itself when the rope goes slack.", "A clove hitch is quick to tie at an anchor and quick to adjust. It slips a little before it locks, which softens the load.", "Whoever ties a knot shows it to the partner before leaving the ground."], ["/anchors"]],
    "/weather": ["Weather in the mountains", ["Storms come in the afternoon. A party that starts before dawn is down again when the first thunder is heard.", "Wind turns before the clouds are seen. Whoever watches it has an hour more than whoever watches the sky.", "Rain makes granite slippery and limestone worse."], ["/anchors", "/knots"]],
  };
  held = []; // requests for /slow, until they are let go
  async asked() {
    for (const end = Date.now() + 120_000; this.held.length === 0; await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (Date.now() > end) throw new Error("/slow was not asked for in 120 s");
    }
  }
  letGo() {
    for (const answer of this.held.splice(0)) answer.writeHead(200, { "content-type": "text/html" }).end("<title>Late</title><p>Here it is at last, after a long while of waiting for it.</p>");
  }
  async start() {
    this.server = createServer((request, answer) => {
      if (request.url === "/slow") {
        this.held.push(answer);
        return;
      }
      const page = this.pages[request.url];
      answer.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
      if (!page) return answer.end("not here");
      const [title, paragraphs, links] = page;
      // In the text, where a page's own links stand; a list of nothing but links is taken for its navigation.
      const also = links.map((one) => `<p>More about this is told in <a href="${one}">the chapter on ${one.slice(1)}</a>, which every climber should have read before the first long route.</p>`).join("");
      answer.end(`<!doctype html><html lang="en"><head><title>${title}</title><meta name="author" content="Ada Berg"></head><body><article><h1>${title}</h1>${paragraphs.map((one) => `<p>${one}</p>`).join("")}${also}</article></body></html>`);
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
  end() {
    this.letGo();
    this.server?.close();
    this.server?.closeAllConnections?.();
  }
}
