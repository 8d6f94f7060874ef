import { strict as assert } from "node:assert";
import { test } from "node:test";
import { csvOf } from "./save_file";

test("cells are quoted where they must be, and a stranger's formula is only a text", () => {
  const rows = [{ who: '=HYPERLINK("x")', total: "-12.50", note: 'says "hi", twice', items: [{ a: 1 }] }];
  assert.equal(csvOf(rows, ["who", "total", "note", "items", "none"]), 'who,total,note,items,none\r\n"\'=HYPERLINK(""x"")",-12.50,"says ""hi"", twice","[{""a"":1}]",\r\n');
  assert.equal(csvOf([{ a: "-cmd" }, { a: "@x" }, { a: "+1" }], ["a"]), "a\r\n'-cmd\r\n'@x\r\n'+1\r\n");
});
