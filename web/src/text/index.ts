// index.ts — the words of the page in the reader's language. Another language is another file with the shape of en.ts.
import { en } from "./en";

export type Texts = typeof en;
const languages: Record<string, Texts> = { en };
export const language = languages[navigator.language.slice(0, 2)] ? navigator.language.slice(0, 2) : "en";
export const text: Texts = languages[language] ?? en;
