// places.ts — where one can go from everywhere: the navigation, and the first answers of Ctrl-K.
import type { IconName } from "../parts/icon";
import type { Place } from "../state/router";
import { text } from "../text";

export interface Destination {
  href: string;
  icon: IconName;
  word: string;
  views: Place["view"][];
}
export const places: Destination[] = [
  { href: "/", icon: "uploads", word: text.nav.uploads, views: ["uploads"] },
  { href: "/runs", icon: "runs", word: text.nav.runs, views: ["runs", "run"] },
  { href: "/receipts", icon: "papers", word: text.nav.papers, views: ["papers", "receipt", "invoice"] },
  { href: "/statements", icon: "statements", word: text.nav.statements, views: ["statements", "statement"] },
  { href: "/documents", icon: "documents", word: text.nav.documents, views: ["documents", "document"] },
  { href: "/operations", icon: "operations", word: text.nav.operations, views: ["operations"] },
];
