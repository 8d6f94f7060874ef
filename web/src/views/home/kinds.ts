// kinds.ts — what a person may give us, and which workflow takes it.
import type { IconName } from "../../parts/icon";
import { text } from "../../text";

export interface Kind {
  type: "image" | "receipt" | "invoice" | "creditcard_invoice";
  icon: IconName;
  word: string;
  hint: string;
  accepts: string[]; // content types
}

const pictures = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const xmls = ["application/xml", "text/xml"]; // e-invoices
export const kinds: Kind[] = [
  { type: "image", icon: "photo", ...text.kinds.image, accepts: pictures },
  { type: "receipt", icon: "receipt", ...text.kinds.receipt, accepts: ["application/pdf", ...pictures] },
  { type: "invoice", icon: "invoice", ...text.kinds.invoice, accepts: ["application/pdf", ...xmls, ...pictures] },
  { type: "creditcard_invoice", icon: "card", ...text.kinds.creditcard_invoice, accepts: ["application/pdf", ...pictures] },
];

export function kindOf(workflowType: string): Kind | undefined {
  return kinds.find((kind) => kind.type === workflowType);
}
export function takes(kind: Kind, types: string[]): boolean {
  return types.every((type) => type === "" || kind.accepts.includes(type));
}
