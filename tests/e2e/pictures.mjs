// pictures.mjs — small pictures made here: each call gives other bytes, so that nothing is a duplicate of another.
import * as zlib from "node:zlib";

const { crc32, deflateSync } = zlib;

// zlib.crc32 came with Node 22; Debian 12 has 18.
const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});
function checksum(bytes) {
  if (crc32) return crc32(bytes);
  let c = 0xffffffff;
  for (const byte of bytes) c = (table[(c ^ byte) & 255] ^ (c >>> 8)) >>> 0;
  return (c ^ 0xffffffff) >>> 0;
}
export function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(8);
  out.writeUInt32BE(data.length, 0);
  out.writeUInt32BE(checksum(body), 4);
  return Buffer.concat([out.subarray(0, 4), body, out.subarray(4)]);
}

let seed = 1;
// A disc on a gradient.
export function picture(size = 160) {
  const hue = (seed++ * 47) % 200;
  const rows = [];
  for (let y = 0; y < size; y++) {
    const row = Buffer.alloc(1 + size * 3);
    for (let x = 0; x < size; x++) {
      const inside = (x - size / 2) ** 2 + (y - size / 2) ** 2 < (size / 3) ** 2;
      row[1 + x * 3] = inside ? 230 : (x * 255) / size;
      row[2 + x * 3] = inside ? 90 + hue / 2 : (y * 255) / size;
      row[3 + x * 3] = inside ? hue : 140;
    }
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head[8] = 8;
  head[9] = 2;
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))]);
}
// Looks like a picture and ends in the middle of one.
export function brokenPicture() {
  const whole = picture();
  return whole.subarray(0, Math.floor(whole.length / 2));
}
