// palette.mjs — a screenshot with at most 256 colours: a third of the bytes, and no eye sees it on a page of flat ones.
import { deflateSync } from "node:zlib";
import { chunk } from "./pictures.mjs";

// Decoded by a browser, which has what it takes. Gives {width, height, rgba}.
async function decoded(page, bytes) {
  const told = await page.evaluate(async (base64) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const all = context.getImageData(0, 0, picture.width, picture.height).data;
    let text = "";
    for (let at = 0; at < all.length; at += 32768) text += String.fromCharCode(...all.subarray(at, at + 32768));
    return { width: picture.width, height: picture.height, all: btoa(text) };
  }, bytes.toString("base64"));
  return { width: told.width, height: told.height, rgba: Buffer.from(told.all, "base64") };
}

const colourAt = (rgba, at) => (rgba[at] << 16) | (rgba[at + 1] << 8) | rgba[at + 2];

// The most frequent colours, each shade of a neighbourhood once; everything else becomes the nearest of them.
function paletteOf(rgba) {
  const counts = new Map();
  for (let at = 0; at < rgba.length; at += 4) {
    const colour = colourAt(rgba, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [];
  const near = new Set();
  for (const [colour] of [...counts].sort((a, b) => b[1] - a[1])) {
    const place = ((colour >> 20) << 8) | (((colour >> 12) & 15) << 4) | ((colour >> 4) & 15);
    if (palette.length >= 96 && near.has(place)) continue;
    near.add(place);
    palette.push(colour);
    if (palette.length === 256) break;
  }
  return { palette, colours: [...counts.keys()] };
}

export async function small(page, bytes) {
  const { width, height, rgba } = await decoded(page, bytes);
  const { palette, colours } = paletteOf(rgba);
  const index = new Map();
  for (const colour of colours) {
    let best = 0;
    let least = Infinity;
    palette.forEach((one, at) => {
      const [r, g, b] = [(one >> 16) - (colour >> 16), ((one >> 8) & 255) - ((colour >> 8) & 255), (one & 255) - (colour & 255)];
      const far = r * r + g * g + b * b;
      if (far < least) [best, least] = [at, far];
    });
    index.set(colour, best);
  }
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(colourAt(rgba, (y * width + x) * 4));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("PLTE", table), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
