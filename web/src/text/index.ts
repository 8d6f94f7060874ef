// index.ts — the words of the page in the reader's language. Another language is another file with the shape of en.ts: what
// one lacks does not compile (texts_test.ts has the rest of the rules).
import { en } from "./en";
import { isChosen, language, languageNames, locale, speak, type Language } from "./language";

export type Count = (value: number) => string;
export type Texts = ReturnType<typeof en>;

// Only the one that is spoken is loaded. It must not import anything of the page: the page waits for it.
const others: Record<Exclude<Language, "en">, () => Promise<(count: Count) => Texts>> = {
  sv: async () => (await import("./sv")).sv,
  de: async () => (await import("./de")).de,
};
const number = new Intl.NumberFormat(locale);
const count: Count = (value) => number.format(value);
const made = language === "en" ? en : await others[language]().catch(() => en);
export const text: Texts = made(count);

// For this browser; and for those of the organization that have chosen nothing.
export async function chooseLanguage(chosen: Language, tell: (chosen: Language) => Promise<unknown>): Promise<void> {
  await tell(chosen);
  speak(chosen);
}
// What the organization speaks counts until somebody chooses.
export function organizationSpeaks(word: string | null): void {
  if (!isChosen && word !== null && word in languageNames && word !== language) speak(word as Language);
}
export { isChosen, language, languageNames, locale, type Language };
