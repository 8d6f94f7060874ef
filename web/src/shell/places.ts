// places.ts — where one can go from everywhere: the navigation, and the first answers of Ctrl-K.
import type { IconName } from "../parts/icon";
import type { Place } from "../state/router";
import { text } from "../text";

export interface Destination {
  href: string;
  icon: IconName;
  word: string;
  views: Place["view"][];
  aside?: boolean; // not in the navigation, which a phone has little room for
  counted?: boolean; // with how many wait there
  part?: string; // there only if the program has it (state/program.ts)
}
const places: Destination[] = [
  { href: "/", icon: "uploads", word: text.nav.uploads, views: ["uploads"], part: "uploads" },
  { href: "/review", icon: "doubt", word: text.nav.review, views: ["review"], part: "papers", counted: true },
  { href: "/runs", icon: "runs", word: text.nav.runs, views: ["runs", "run"] },
  { href: "/workflows", icon: "play", word: text.nav.workflows, views: ["workflows"] },
  { href: "/receipts", icon: "papers", word: text.nav.papers, views: ["papers", "receipt", "invoice"], part: "papers" },
  { href: "/statements", icon: "statements", word: text.nav.statements, views: ["statements", "statement"], part: "statements" },
  { href: "/documents", icon: "documents", word: text.nav.documents, views: ["documents", "document"], part: "documents" },
  { href: "/export", icon: "down", word: text.exports.title, views: ["export"], part: "papers", aside: true },
  { href: "/settings", icon: "settings", word: text.settings.title, views: ["settings"], aside: true },
  { href: "/operations", icon: "operations", word: text.nav.operations, views: ["operations"] },
];

// Whether a program with these parts has that view.
export const hasPlace = (parts: readonly string[], view: Place["view"]): boolean => places.every((one) => !one.views.includes(view) || !one.part || parts.includes(one.part));
export const placesOf = (parts: readonly string[]): Destination[] => places.filter((one) => !one.part || parts.includes(one.part));
