// language.ts — which language the page speaks: as somebody has chosen in this browser, else as the browser says.
export type Language = "en" | "sv" | "de";
export const languageNames: Record<Language, string> = { en: "English", sv: "Svenska", de: "Deutsch" };

const kKey = "belay.language";
const isLanguage = (word: string | null): word is Language => word !== null && word in languageNames;
const kept = typeof localStorage === "undefined" ? null : localStorage.getItem(kKey);
const spoken = navigator.languages?.map((one) => one.slice(0, 2)).find(isLanguage);

export const isChosen = isLanguage(kept);
export const language: Language = isLanguage(kept) ? kept : (spoken ?? "en");
// The country's way to write numbers and days, if the browser knows it for that language.
export const locale: string = navigator.languages?.find((one) => one.slice(0, 2) === language) ?? language;

// Words are read when the page begins: another language begins it anew.
export function speak(chosen: Language): void {
  localStorage.setItem(kKey, chosen);
  if (chosen !== language) location.reload();
}
