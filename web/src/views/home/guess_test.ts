import { strict as assert } from "node:assert";
import { File as NodeFile } from "node:buffer";
import { test } from "node:test";
import { byLook, byText, guess, textsIn } from "./guess";

test("texts are put together from the pieces that a PDF is set in", () => {
  assert.equal(textsIn("BT /F1 12 Tf [(Fak)-20(tura)] TJ (nr \\(1\\)) Tj ET").trim(), "Faktura nr \\(1\\)");
});
test("a card's invoice is a statement, whatever else it calls itself", () => {
  assert.equal(byText("First Card Kortfaktura Förfallodag"), "creditcard_invoice");
  assert.equal(byText("Invoice no. 12"), "invoice");
  assert.equal(byText("nothing known"), null);
});
test("grey and light is paper, colourful is a photo, and between them somebody is asked", () => {
  assert.deepEqual(byLook({ tall: 2, colour: 0.03, paper: 0.9 }), { type: "receipt", sure: true });
  assert.deepEqual(byLook({ tall: 1, colour: 0.4, paper: 0.1 }), { type: "image", sure: true });
  assert.equal(byLook({ tall: 1.4, colour: 0.12, paper: 0.45 }).sure, false);
});
const pdf = (inside: string, name: string) => new NodeFile([`%PDF-1.7\n${inside}%%EOF`], name, { type: "application/pdf" }) as unknown as File;

test("a PDF that carries its invoice as XML is an invoice, and a file named after a card a statement", async () => {
  assert.deepEqual(await guess(pdf("/Type /Filespec /F (factur-x.xml)\n", "a1b2.pdf")), { type: "invoice", sure: true });
  assert.deepEqual(await guess(pdf("", "VISA_2016.pdf")), { type: "creditcard_invoice", sure: true });
  assert.equal((await guess(pdf("", "a1b2.pdf"))).sure, false);
});
