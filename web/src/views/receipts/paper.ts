// paper.ts — a receipt or an invoice as the view needs it: fields in reading order, each with where it was read.
//
// The server tells the plain values, and under `detail` the same with confidence, page and box. What it does not tell
// is simply not shown.
import { text } from "../../text";

export type Loose = Record<string, unknown>;
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}
export interface Field {
  name: string;
  label: string;
  value: string | null;
  confidence: number | null;
  page: number;
  box: Box | null;
  money: boolean;
  day: boolean;
}
export interface Line {
  cells: (string | null)[];
  confidence: number | null;
  page: number;
  box: Box | null;
}
export interface PageOf {
  number: number;
  fileId: string;
  width: number;
  height: number;
  rotation: number; // degrees clockwise by which it was turned to be read
  text: string;
}
export interface Paper {
  fields: Field[];
  lineHeads: string[];
  lines: Line[];
  vat: { rate: string; amount: string }[];
  entries: Loose[];
  pages: PageOf[];
  review: string[];
  currency: string | null;
  xml: string | null; // the e-invoice that it was read from, as people call it
  history: Loose[];
}

const kReceipt = ["merchant", "orgnr", "address", "date", "total", "currency", "payment_type", "expense_type", "receipt_number"];
const kInvoice = ["invoice_number", "issue_date", "due_date", "seller_name", "buyer_name", "net_total", "tax_total", "grand_total", "currency"];
const kMoney = new Set(["total", "net_total", "tax_total", "grand_total"]);
const kDays = new Set(["date", "issue_date", "due_date"]);
// The names that the rules' own structs have for what the result calls otherwise.
const kDetailNames: Record<string, string[]> = {
  seller_name: ["seller_name", "seller"],
  buyer_name: ["buyer_name", "buyer"],
  invoice_number: ["invoice_number", "number"],
  grand_total: ["grand_total", "total"],
  net_total: ["net_total", "net"],
  tax_total: ["tax_total", "tax", "vat_total"],
};

export function paperOf(kind: "receipt" | "invoice", told: Loose): Paper {
  const detail = loose(told.detail);
  const names = kind === "receipt" ? kReceipt : kInvoice;
  const labels: Record<string, string> = text.papers.fields;
  const fields = names.map((name): Field => {
    const found = foundIn(detail, name);
    const value = told[name] ?? found.value ?? null;
    return {
      name,
      label: labels[name] ?? name,
      value: value === null ? null : String(value),
      confidence: typeof found.confidence === "number" && value !== null && told[name] !== undefined && found.value !== undefined ? found.confidence : null,
      page: typeof found.page === "number" ? found.page : 0,
      box: boxOf(found.box),
      money: kMoney.has(name),
      day: kDays.has(name),
    };
  });
  const lines = kind === "receipt" ? listOf(told.items) : listOf(told.lines);
  const details = kind === "receipt" ? listOf(detail.items) : listOf(detail.lines);
  const columns = kind === "receipt" ? ["name", "quantity", "amount"] : ["description", "quantity", "unit_price", "line_total"];
  return {
    fields,
    lineHeads: columns.map((column) => text.papers.columns[column] ?? column),
    lines: lines.map((line, at): Line => {
      const known = loose(details[at]);
      return {
        cells: columns.map((column) => (line[column] === null || line[column] === undefined ? null : String(line[column]))),
        confidence: typeof known.confidence === "number" ? known.confidence : null,
        page: typeof known.page === "number" ? known.page : 0,
        box: boxOf(known.box),
      };
    }),
    vat: listOf(told.vat).map((one) => ({ rate: String(one.rate ?? ""), amount: String(one.amount ?? "") })),
    entries: listOf(told.entries),
    pages: listOf(told.pages).map((page) => ({
      number: Number(page.number ?? 1),
      fileId: String(page.file_id ?? ""),
      width: Number(page.width ?? 0),
      height: Number(page.height ?? 0),
      rotation: Number(page.rotation ?? 0),
      text: String(page.text ?? ""),
    })),
    review: Array.isArray(told.review) ? told.review.map(String) : [],
    currency: typeof told.currency === "string" ? told.currency : null,
    xml: xmlOf(listOf(told.history)),
    history: listOf(told.history),
  };
}

// What an electronic invoice says of its kind, by the name that people know; the longest fits first.
const kProfiles: [RegExp, string][] = [
  [/xrechnung|xeinkauf/i, "XRechnung"],
  [/peppol/i, "Peppol BIS"],
  [/zugferd/i, "ZUGFeRD"],
  [/factur-?x/i, "Factur-X"],
  [/en16931/i, "EN 16931"],
];

// The newest reading counts: a paper may have been read as something else since.
function xmlOf(history: Loose[]): string | null {
  const read = history.filter((one) => typeof one.provider === "string" && one.status === "success").at(-1);
  if (read?.provider !== "xml") return null;
  const model = String(read.model ?? "");
  const syntax = model.split(" ")[0] ?? "";
  const file = /\S+\.xml$/i.exec(String(read.log_text ?? ""))?.[0] ?? "";
  const profile = kProfiles.find(([known]) => known.test(`${model} ${file}`))?.[1];
  return [profile, profile ? `(${[syntax, file].filter(Boolean).join(", ")})` : [syntax, file].filter(Boolean).join(", ")].filter(Boolean).join(" ");
}

function foundIn(detail: Loose, name: string): Loose {
  for (const one of kDetailNames[name] ?? [name]) {
    const found = loose(detail[one]);
    if ("confidence" in found) return found;
  }
  return {};
}
export function loose(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}
function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value.map(loose) : [];
}
export function boxOf(value: unknown): Box | null {
  const box = loose(value);
  const left = Number(box.left ?? box.x ?? 0);
  const top = Number(box.top ?? box.y ?? 0);
  const width = Number(box.width ?? Number(box.right ?? 0) - left);
  const height = Number(box.height ?? Number(box.bottom ?? 0) - top);
  return width > 0 && height > 0 ? { left, top, width, height } : null;
}

// Somebody said that it is right as it stands, and has not taken that back.
export function isApproved(paper: Paper): boolean {
  const last = paper.history.filter((one) => one.job_type === "approval" || one.job_type === "reopening").at(-1);
  return last?.job_type === "approval";
}

// Doubts are over when somebody approved the paper; a foreign currency stays one, and is never booked.
export function reasonsNow(paper: Paper, status: string): string[] {
  return status === "manual_review" ? paper.review : paper.review.filter((reason) => reason === "foreign_currency");
}

export const kSureFrom = 0.7; // below, a person is asked to look
