// reasons.ts — why a person should look at a paper: what the rules give as codes, in words, and what one click can do about
// it. Pure. A sentence that is not known here stays as the server said it.
import { text } from "../../text";

export type Reason =
  | { kind: "notFound" | "uncertain"; field: string }
  | { kind: "twoWays"; field: string; one: string; other: string }
  | { kind: "differs"; field: string; one: string; other: string | null } // null: it is not on the page
  | { kind: "said"; words: string };

export function readReason(reason: string): Reason {
  const missing = /^(\w+?)(?:_| )not(?:_| )found$/.exec(reason);
  if (missing) return { kind: "notFound", field: missing[1] ?? "" };
  const uncertain = /^(\w+)_uncertain$/.exec(reason);
  if (uncertain) return { kind: "uncertain", field: uncertain[1] ?? "" };
  const twoWays = /^(.+)_read_two_ways: (.+) and (.+)$/.exec(reason);
  if (twoWays) return { kind: "twoWays", field: twoWays[1] ?? "", one: twoWays[2] ?? "", other: twoWays[3] ?? "" };
  const differs = /^(\w+)_differs: (.+) in the XML, (?:(.+) on the page|and not on the page)$/.exec(reason);
  if (differs) return { kind: "differs", field: differs[1] ?? "", one: differs[2] ?? "", other: differs[3] === "and not" ? null : (differs[3] ?? null) };
  return { kind: "said", words: reason };
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export function fieldWord(field: string): string {
  const known: Record<string, string> = text.papers.fields;
  return known[field] ?? capital(field.replaceAll("_", " "));
}

export function reasonWords(code: string): string {
  const known: Record<string, string> = text.papers.reasons;
  if (known[code]) return known[code];
  const words = text.papers.doubts;
  const reason = readReason(code);
  switch (reason.kind) {
    case "notFound":
      return words.notFound(fieldWord(reason.field));
    case "uncertain":
      return words.uncertain(fieldWord(reason.field));
    case "twoWays":
      return words.twoWays(fieldWord(reason.field), reason.one, reason.other);
    case "differs":
      return reason.other === null ? words.notOnPage(fieldWord(reason.field), reason.one) : words.differs(fieldWord(reason.field), reason.one, reason.other);
    case "said":
      return capital(reason.words.replaceAll("_", " "));
  }
}

// What one click can do about a reason: read the paper as what it looks like, a page that could not be read again, or take
// what the other reader saw.
export function remedyOf(reason: string): { readAs: string } | { page: number } | { take: { field: string; value: string } } | null {
  const type = /read it as ([a-z_]+)/.exec(reason)?.[1];
  if (type) return { readAs: type };
  const page = /^page (\d+) could not be read/.exec(reason)?.[1];
  if (page) return { page: Number(page) };
  const read = readReason(reason);
  return read.kind === "twoWays" && read.field in text.papers.fields ? { take: { field: read.field, value: plain(read.other) } } : null;
}

// An amount as it is printed, as the server takes it: 1.249,50 is 1249.50. A day stays what it is.
export function plain(printed: string): string {
  const amount = printed.replace(/[\s\u00a0']/g, "");
  const [, whole, cents] = /^(-?[\d.,]*\d)[.,](\d{2})$/.exec(amount) ?? [];
  return whole === undefined || /^\d{4}-\d\d-\d\d$/.test(printed) ? printed : `${whole.replace(/[.,]/g, "")}.${cents}`;
}
