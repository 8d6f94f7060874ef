// guess.ts — what a file probably is, from its content and its name: a photo, a receipt, an invoice, a card statement.
//
// Only a guess, made here before anything is sent: whoever gave the file may say otherwise, before and afterwards.
import type { Kind } from "./kinds";

export interface Guess {
  type: Kind["type"];
  sure: boolean;
}

const kLookBytes = 512 * 1024;
const kEndBytes = 128 * 1024; // where a PDF has the names of what it carries
const kCarriesXml = /factur-?x|zugferd|xrechnung/i; // of an e-invoice: beside the file, and in what is said about it
const kStreamsMax = 12;
const kSide = 48; // of the small picture that is looked at

const kNames: [RegExp, Kind["type"]][] = [
  [/kortfaktura|kontoutdrag|card[-_ ]?(statement|invoice|bill)|statement|first ?card|^card[-_ ]|(^|[-_ ])(visa|master ?card|amex|diners)([-_ .\d]|$)/i, "creditcard_invoice"],
  [/faktura|invoice|rechnung|factuur|facture/i, "invoice"],
  [/kvitto|receipt|quittung|bon\b|re[cç]u/i, "receipt"],
];
const kWords: [RegExp, Kind["type"]][] = [
  [/kortfaktura|kontokort|kortnummer|card ?number|card statement|first card|kontoutdrag/i, "creditcard_invoice"],
  [/faktura|invoice|rechnung|förfallodag|due date|fällig/i, "invoice"],
  [/kvitto|receipt|quittung|\bkontant\b|\bväxel\b/i, "receipt"],
];

function byName(name: string): Kind["type"] | null {
  return kNames.find(([words]) => words.test(name))?.[1] ?? null;
}
export function byText(words: string): Kind["type"] | null {
  return kWords.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}

export async function guess(file: File): Promise<Guess> {
  const named = byName(file.name);
  try {
    if (file.type === "application/pdf" || /\.pdf$/i.test(file.name)) {
      const said = byText(await wordsOfPdf(file));
      return { type: said ?? named ?? "invoice", sure: said !== null || named !== null };
    }
    if (/^(application|text)\/xml$/.test(file.type) || /\.xml$/i.test(file.name)) return { type: "invoice", sure: true }; // an e-invoice
    if (!file.type.startsWith("image/")) return { type: named ?? "invoice", sure: true }; // the server says what it takes
    if (named) return { type: named, sure: true };
    return byLook(await lookOf(file));
  } catch {
    return { type: named ?? (file.type.startsWith("image/") ? "image" : "invoice"), sure: named !== null };
  }
}

export interface Look {
  tall: number; // height by width
  colour: number; // how colourful, 0 … 1
  paper: number; // the share that is as light and grey as paper, 0 … 1
}

export function byLook({ tall, colour, paper }: Look): Guess {
  if (paper > 0.55 && colour < 0.14) return { type: "receipt", sure: true };
  if (paper > 0.3 && colour < 0.2 && tall > 1.1) return { type: "receipt", sure: false };
  return { type: "image", sure: paper < 0.3 || colour > 0.3 };
}

async function lookOf(file: File): Promise<Look> {
  const whole = await createImageBitmap(file);
  const canvas = new OffscreenCanvas(kSide, kSide);
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  if (!brush) throw new Error("no canvas");
  brush.drawImage(whole, 0, 0, kSide, kSide);
  const tall = whole.height / whole.width;
  whole.close();
  const { data } = brush.getImageData(0, 0, kSide, kSide);
  let colour = 0;
  let paper = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    const most = Math.max(red, green, blue);
    const chroma = most - Math.min(red, green, blue);
    colour += chroma / 255;
    if (most > 150 && chroma < 40) paper++;
  }
  const all = kSide * kSide;
  return { tall, colour: colour / all, paper: paper / all };
}

// The texts that stand readable in its streams. Many PDFs name their letters by number only: then there are none.
async function wordsOfPdf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, kLookBytes).arrayBuffer());
  const raw = new TextDecoder("latin1").decode(bytes);
  const end = new TextDecoder("latin1").decode(await file.slice(Math.max(0, file.size - kEndBytes)).arrayBuffer());
  if (kCarriesXml.test(raw) || kCarriesXml.test(end)) return "invoice";
  let words = "";
  const streams = /stream\r?\n/g;
  for (let count = 0; count < kStreamsMax; count++) {
    const found = streams.exec(raw);
    if (!found) break;
    const from = found.index + found[0].length;
    const to = raw.indexOf("endstream", from);
    if (to < 0) break;
    streams.lastIndex = to + 9;
    words += textsIn(await inflated(bytes.subarray(from, to)).catch(() => raw.slice(from, to)));
  }
  return words;
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const decoder = new TextDecoder("latin1");
  let out = "";
  try {
    for (let part = await reader.read(); !part.done && out.length < kLookBytes; part = await reader.read()) out += decoder.decode(part.value, { stream: true });
  } catch (error) {
    if (out === "") throw error; // what stands behind the stream's end does not matter
  }
  void reader.cancel().catch(() => {});
  return out;
}

// "(Fak)-20(tura)" → "Faktura"
export function textsIn(content: string): string {
  return content.replace(/\[((?:[^\]\\]|\\.)*)\]\s*TJ|\(((?:[^()\\]|\\.)*)\)\s*Tj|[^[(]+|[[(]/g, (_, many: string | undefined, one: string | undefined) => {
    if (one !== undefined) return `${one} `;
    if (many === undefined) return "";
    return `${[...many.matchAll(/\(((?:[^()\\]|\\.)*)\)/g)].map((part) => part[1]).join("")} `;
  });
}
