import { strict as assert } from "node:assert";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { de } from "./de";
import { en } from "./en";
import { sv } from "./sv";

const count = (value: number): string => String(value);
const all = { en: en(count), sv: sv(count), de: de(count) };
type Tree = Record<string, unknown>;

// Every word with its place: "run.crash.title" → what it says, of functions with the arguments 1, 2 and with words.
function wordsOf(tree: Tree, place = ""): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const here = place ? `${place}.${key}` : key;
    if (typeof value === "string") out.set(here, value);
    else if (typeof value === "function") out.set(here, said(value as (...args: unknown[]) => unknown));
    else for (const [inner, word] of wordsOf(value as Tree, here)) out.set(inner, word);
  }
  return out;
}
function said(make: (...args: unknown[]) => unknown): string {
  for (const args of [[2, 2, 2], ["x", "x", "x"], [["x", "y"]]]) {
    try {
      const words = make(...args);
      if (typeof words === "string" && !/undefined|NaN|\[object/.test(words)) return words;
    } catch {
      // It wants other arguments.
    }
  }
  return "";
}

// Signs, names of formats, and what is too short to be a word.
const kSame = /^(JSON|CSV|ZIP|Webhook|Id|Live|.{0,2}|[≈\d\s%().,:–-]*x?[\d\s%x]*)$/;

for (const language of ["sv", "de"] as const) {
  test(`${language} has every word that English has, and no other`, () => {
    const wanted = [...wordsOf(all.en).keys()].sort();
    const has = [...wordsOf(all[language]).keys()].sort();
    assert.deepEqual(has, wanted);
  });
  test(`no word of ${language} is empty or left in English`, () => {
    const english = wordsOf(all.en);
    const left = [...wordsOf(all[language])].filter(([place, word]) => word.trim() === "" || (word === english.get(place) && !kSame.test(word)));
    const known = new Set(kKnown[language]);
    assert.deepEqual(left.filter(([place]) => !known.has(place)), []);
  });
}
// Names, and words that both languages write alike.
const kKnown = {
  sv: ["operations.limit.rate", "operations.version", "run.kinds.sleep", "exports.title", "exports.period", "statements.period", "documents.kinds.info", "documents.size", "papers.note"],
  de: ["nav.uploads", "defined.rate", "operations.limitFields.starts", "settings.name", "saved.name", "exports.title", "documents.size"],
};

test("what counts says so for one and for many", () => {
  for (const words of Object.values(all)) {
    assert.notEqual(words.home.count(1).replace("1", ""), words.home.count(2).replace("2", ""));
    assert.notEqual(words.runs.count(1).replace("1", ""), words.runs.count(2).replace("2", ""));
  }
});

// Views ask text/ for their words: what stands between tags, or in a label, would be English for everybody.
test("no view has words of its own", () => {
  const source = (globalThis as unknown as { webSource: string }).webSource;
  const files = readdirSync(source, { recursive: true }).map(String).filter((name) => name.endsWith(".tsx"));
  assert.ok(files.length > 30);
  const found: string[] = [];
  for (const name of files) {
    const lines = readFileSync(join(source, name), "utf8").split("\n");
    lines.forEach((line, at) => {
      if (/^\s*(\/\/|\*)/.test(line)) return;
      const between = />\s*([A-Z][a-z]+(?: [A-Za-z]+)*)[^<>{}=]*</.exec(line);
      const label = /\b(?:aria-label|title|placeholder|alt)="([^"]*[A-Za-z]{3}[^"]*)"/.exec(line);
      const wrong = between?.[1] ?? label?.[1];
      if (wrong && !/^(Promise|Ctrl|Enter|Esc|Home|End|https:|SEK)/.test(wrong)) found.push(`${name}:${at + 1}: ${wrong}`);
    });
  }
  assert.deepEqual(found, []);
});
