// inline.ts — what stands in a line of Markdown: code, links, pictures, bold and slanted words.
//
// A stranger's text, so its time is linear in its length: every "where is the next closing one?" is asked of a Seeker,
// which never looks at a character twice, and what is nested too deep stays text.

export type Piece =
  | { kind: "text" | "code" | "picture"; text: string }
  | { kind: "link"; href: string; inside: Piece[] }
  | { kind: "strong" | "em"; inside: Piece[] };

const kDepthMax = 8;
const kTicksMax = 8; // longer runs of backticks are text
const kEscaped = "\\`*_{}[]()#+-.!|>~";

// The first place from which `fits` holds, for questions that only move forward.
class Seeker {
  private at = -1;
  constructor(
    private readonly source: string,
    private readonly text: string,
    private readonly fits: (at: number) => boolean = () => true,
  ) {}

  // -1: there is none.
  from(start: number): number {
    if (this.at < start && this.at !== Infinity) {
      let found = this.source.indexOf(this.text, start);
      while (found >= 0 && !this.fits(found)) found = this.source.indexOf(this.text, found + 1);
      this.at = found < 0 ? Infinity : found;
    }
    return this.at === Infinity ? -1 : this.at;
  }
}

const isWord = (char: string | undefined) => char !== undefined && /^\w$/.test(char);
const isSpace = (char: string | undefined) => char === undefined || /^\s$/.test(char);

// For each `[` its `]`.
function brackets(source: string): Map<number, number> {
  const open: number[] = [];
  const pairs = new Map<number, number>();
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "[") open.push(at);
    else if (source[at] === "]" && open.length > 0) pairs.set(open.pop() ?? 0, at);
  }
  return pairs;
}

export function pieces(source: string, depth = 0): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  const until = (at: number) => at > from && out.push({ kind: "text", text: source.slice(from, at) });

  const ticks = new Map<number, Seeker>();
  const parts = { "**": new Seeker(source, "**"), __: new Seeker(source, "__") };
  const notBeforeWord = (at: number) => !isWord(source[at + 1]);
  const ends = { "*": new Seeker(source, "*", notBeforeWord), _: new Seeker(source, "_", notBeforeWord) };
  const closing = { picture: new Seeker(source, ")"), link: new Seeker(source, ")"), alt: new Seeker(source, "]") };
  let pairs: Map<number, number> | undefined;

  const code = (at: number): [Piece, number] | undefined => {
    let run = 1;
    while (source[at + run] === "`") run++;
    for (let length = Math.min(run, kTicksMax); length > 0 && run <= kTicksMax; length--) {
      const seeker = ticks.get(length) ?? new Seeker(source, "`".repeat(length));
      ticks.set(length, seeker);
      const end = seeker.from(at + length + 1);
      if (end >= 0) return [{ kind: "code", text: source.slice(at + length, end) }, end + length];
    }
    return undefined;
  };
  const picture = (at: number): [Piece, number] | undefined => {
    const alt = closing.alt.from(at + 2);
    if (alt < 0 || source[alt + 1] !== "(") return undefined;
    const end = closing.picture.from(alt + 2);
    return end < 0 ? undefined : [{ kind: "picture", text: source.slice(at + 2, alt) }, end + 1];
  };
  const link = (at: number): [Piece, number] | undefined => {
    pairs ??= brackets(source);
    const close = pairs.get(at);
    if (close === undefined || source[close + 1] !== "(") return undefined;
    const first = closing.link.from(close + 2);
    if (first < 0) return undefined;
    // An address may have parentheses in it: (…(…)…).
    let to = close + 2;
    let end = first;
    const within = source.lastIndexOf("(", first);
    if (within >= to && !/[\s(]/.test(source.slice(to, within)) && !/\s/.test(source.slice(within, first))) {
      const second = source.indexOf(")", first + 1);
      const next = source.indexOf("(", first + 1);
      if (second >= 0 && (next < 0 || second < next)) end = second;
    }
    while (to < end && !isSpace(source[to])) to++;
    const inside = pieces(source.slice(at + 1, close), depth + 1);
    return [{ kind: "link", href: source.slice(close + 2, to), inside }, end + 1];
  };
  const between = (kind: "strong" | "em", start: number, end: number, length: number): [Piece, number] | undefined =>
    end < 0 ? undefined : [{ kind, inside: pieces(source.slice(start, end), depth + 1) }, end + length];
  const marked = (at: number, mark: "*" | "_"): [Piece, number] | undefined => {
    if (source[at + 1] === mark) {
      const found = between("strong", at + 2, parts[mark === "*" ? "**" : "__"].from(at + 3), 2);
      if (found) return found;
    }
    const before = source[at - 1];
    const opens = !isWord(before) && !(mark === "*" && before === "*") && !isSpace(source[at + 1]);
    return opens ? between("em", at + 1, ends[mark].from(at + 2), 1) : undefined;
  };
  const found = (at: number): [Piece, number] | undefined => {
    const char = source[at];
    if (char === "`") return code(at);
    if (char === "\\" && kEscaped.includes(source[at + 1] ?? " ")) return [{ kind: "text", text: source[at + 1] ?? "" }, at + 2];
    if (char === "!" && source[at + 1] === "[") return picture(at);
    if (depth >= kDepthMax) return undefined;
    if (char === "[") return link(at);
    return char === "*" || char === "_" ? marked(at, char) : undefined;
  };

  for (let at = 0; at < source.length; ) {
    const one = found(at);
    if (!one) {
      // A run of backticks that nothing closes is passed over whole: none of its parts is closed either.
      do at++;
      while (source[at] === "`" && source[at - 1] === "`");
      continue;
    }
    until(at);
    out.push(one[0]);
    from = at = one[1];
  }
  until(source.length);
  return out;
}
