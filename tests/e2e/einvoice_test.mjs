// einvoice_test.mjs — a paper says what it was read from: the XML it is, or a reader; and both readings where two differ.
import { accessible, assert, equal, says, test } from "./harness.mjs";
import { receipt } from "./papers.mjs";

const over = (run) => ["succeeded", "failed", "canceled"].includes(run.status);

const party = (name) => `<cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>`;
const ubl = `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</cbc:CustomizationID>
<cbc:ID>R-2026-77</cbc:ID><cbc:IssueDate>2026-09-14</cbc:IssueDate><cbc:DueDate>2026-10-14</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty>${party("Seilerei Nordwand GmbH")}</cac:AccountingSupplierParty><cac:AccountingCustomerParty>${party("Bergschule Süd")}</cac:AccountingCustomerParty>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">100.00</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
<cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">2</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Kletterseil 60 m</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">50.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>`;

test("an electronic invoice says on its page that it was read from its XML, and which kind it is", async (page, { server }) => {
  const taken = await server.upload("rechnung.xml", Buffer.from(ubl), "application/xml", "invoice");
  const run = await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  equal(run.status, "succeeded", run.error?.message ?? "the run");
  await page.goto(`/invoices/${taken.file_id}`);
  await page.getByText("Read from the e-invoice that it carries: XRechnung (UBL)").waitFor();
  await page.getByText("Seilerei Nordwand GmbH").first().waitFor();
  await page.getByText("Kletterseil 60 m").first().waitFor();
  await accessible(page);

  const photo = await server.get("/api/invoices?limit=50");
  const other = photo.invoices.find((one) => !one.name.endsWith(".xml"));
  if (!other) return;
  await page.goto(`/invoices/${other.file_id}`);
  await page.getByRole("heading", { name: "What was read" }).waitFor();
  equal(await page.getByText("Read from the e-invoice").count(), 0, "said of an invoice without XML");
});

// Two readers seldom differ on a drawn receipt: what the server says of one that they differ about is put in its place.
test("where two readers differ both readings are shown with who saw them, and the other is taken with a click", async (page, { server, browser }) => {
  const paper = await receipt(browser, { shop: "Två Läsare AB", day: "2026-09-18", rows: [["Karbinhake", 117]] });
  const taken = await server.upload("two-readers.png", paper, "image/png", "receipt");
  await server.until(`/api/runs/${taken.workflow_run_id}`, over);
  const told = await server.get(`/api/receipts/${taken.file_id}`);
  const { box, page: number } = told.detail.total;
  await page.route(`**/api/receipts/${taken.file_id}`, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), status: "manual_review", review: ["total_read_two_ways: 117.00 and 112,00"] } });
  });
  await page.route(`**/api/files/${taken.file_id}/pages?words=true`, (route) => route.fulfill({ json: { pages: [{ number, words: [{ text: "117.00", box, confidence: 0.9, line: 1, by: "PpOcr", other: "112,00" }] }], next_cursor: null } }));
  await page.goto(`/receipts/${taken.file_id}`);
  await page.getByText("Total was read two ways: 117.00 and 112,00").waitFor();
  await page.getByText("PP-OCR saw 117.00").waitFor();
  await page.getByText("Tesseract saw 112,00").waitFor();
  await accessible(page);
  await says(page, "Total is corrected.", () => page.getByRole("button", { name: "Take 112,00" }).click());
  equal((await server.get(`/api/receipts/${taken.file_id}`)).total, "112.00", "the total");
  await page.getByRole("button", { name: "Take 112,00" }).waitFor({ state: "detached" });
  assert((await server.get(`/api/files/${taken.file_id}/pages?words=1`)).pages[0].words.every((word) => "by" in word), "the server says who read a word");
});
