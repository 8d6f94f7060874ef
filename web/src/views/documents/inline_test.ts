import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type Piece, pieces } from "./inline";
import { blocks } from "./markdown";

// The pieces as one line: em(a) strong(b) code(c) link(href|…) picture(alt)
function told(parts: Piece[]): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "link") return `link(${part.href}|${told(part.inside)})`;
      return `${part.kind}(${"inside" in part ? told(part.inside) : part.text})`;
    })
    .join("");
}
const read = (source: string) => told(pieces(source));

test("what is marked is what people mean", () => {
  assert.equal(read("a **b** c *d* _e_ __f__ `g`"), "a strong(b) c em(d) em(e) strong(f) code(g)");
  assert.equal(read("``a`b`` and `c"), "code(a`b) and `c");
  assert.equal(read("[a](https://x.se) [b](https://y.se \"title\")"), "link(https://x.se|a) link(https://y.se|b)");
  assert.equal(read("[wiki](https://x.se/A_(b)) after"), "link(https://x.se/A_(b)|wiki) after");
  assert.equal(read("([a](https://x.se)) and (b)"), "(link(https://x.se|a)) and (b)");
  assert.equal(read("[![alt](p.png)](https://x.se)"), "link(https://x.se|picture(alt))");
  assert.equal(read("[a [b] c](https://x.se)"), "link(https://x.se|a [b] c)");
  assert.equal(read("[**a** b](https://x.se)"), "link(https://x.se|strong(a) b)");
  assert.equal(read("snake_case_name 2*3*4 \\*no\\* ** x"), "snake_case_name 2*3*4 *no* ** x");
  assert.equal(read("![a](b c) ![d]"), "picture(a) ![d]");
  assert.equal(read("**a *b* c**"), "strong(a em(b) c)");
});

// Twice the text may take twice the time, and a little; a quadratic one takes four times.
function seconds(run: () => void): number {
  let least = Infinity;
  for (let i = 0; i < 2; i++) {
    const { user } = process.cpuUsage();
    run();
    least = Math.min(least, (process.cpuUsage().user - user) / 1e6);
  }
  return least;
}
function isLinear(make: (count: number) => string, run: (source: string) => void, what: string) {
  for (let count = 16_000; count <= 64_000; count *= 2) {
    const [once, twice] = [make(count), make(count * 2)];
    const first = seconds(() => run(once));
    if (first < 0.01) continue;
    const second = seconds(() => run(twice));
    assert.ok(second < first * 3.2 + 0.02, `${what}: ${count} take ${first} s, twice as many ${second} s`);
    if (second > 0.1) return;
  }
}

const repeated = ["[a](", "[", "]", "![", "![a](", "![a]", "[a]", "**a ", "*a ", " *a", " _a", "__a ", "`", "`a ``b ", "**", "*", "_", "\\", "[a](b(c)", "((", "[a](b ", "a*b_c`d", "**a __b ", "*a _b ", "<", "|", "&"];
test("no unclosed mark makes the time more than linear", () => {
  for (const mark of repeated) {
    isLinear((count) => mark.repeat(count / mark.length), pieces, mark);
    isLinear((count) => `${mark.repeat(count / mark.length)})]*_\``, pieces, `${mark} and closed at last`);
    isLinear((count) => mark.repeat(count / mark.length) + "](x)".repeat(count / 4), pieces, `${mark} and all closed`);
  }
});
test("no line makes the time of the blocks more than linear", () => {
  const lines: Record<string, (count: number) => string> = {
    heading: (n) => `# a${" ".repeat(n)}b`,
    hashes: (n) => `# a${" #".repeat(n / 2)}b`,
    rule: (n) => `${"- ".repeat(n / 2)}x`,
    "rule of spaces": (n) => `---${" ".repeat(n)}x`,
    "table of spaces": (n) => `a|b\n${" ".repeat(n)}x\n`,
    "table of dashes": (n) => `a|b\n${"-".repeat(n)}x`,
    "table of cells": (n) => `a|b\n${"|---".repeat(n / 4)}x`,
    "cells and spaces": (n) => `a|b\n|---${" ".repeat(n)}x`,
    quotes: (n) => ">".repeat(n),
    "quoted lines": (n) => "> a\n".repeat(n / 4),
    items: (n) => "- a\n".repeat(n / 4),
    stairs: (n) => Array.from({ length: Math.sqrt(n) }, (_, i) => `${" ".repeat(i)}- a\n`).join(""),
    numbers: (n) => `${"1".repeat(n)}x`,
    fences: (n) => "```\n~~~\n".repeat(n / 8),
    blank: (n) => " \n".repeat(n / 2),
    pipes: (n) => "a|b\n".repeat(n / 4),
    paragraph: (n) => "a b c [d](\n".repeat(n / 11),
  };
  for (const [what, make] of Object.entries(lines)) isLinear(make, (source) => blocks(source.split("\n")), what);
});
