// format.ts — numbers, times and money as people read them, in the language of the page; money is never a float.
import { locale } from "../text/language";

const number = new Intl.NumberFormat(locale);
const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const monthDay = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const minute = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const dayMinute = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
// Narrow is right in English ("2 min ago"), and a sign and a letter elsewhere ("−2 m").
const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: locale.startsWith("en") ? "narrow" : "short" });

export const count = (value: number): string => number.format(value);
export const share = (value: number): string => percent.format(value);
export const time = (text: string): string => moment.format(new Date(text));
export const minuteTime = (at: string | number): string => minute.format(new Date(at));
export const dayTime = (at: string | number): string => dayMinute.format(new Date(at));
export const clockTime = (text: string | number): string => clock.format(new Date(text));

// A date without a time is a day everywhere: not midnight in Greenwich.
export function date(text: string | null | undefined): string {
  if (!text) return "";
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(text);
  return parts ? day.format(new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))) : text;
}

// "October 2026"
const monthYear = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });
export function month(text: string | null | undefined): string {
  const parts = /^(\d{4})-(\d{2})/.exec(text ?? "");
  return parts ? monthYear.format(new Date(Number(parts[1]), Number(parts[2]) - 1, 1)) : "";
}

// The same without its year, for rows that are all of one.
export function shortDate(text: string | null | undefined): string {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(text ?? "");
  return parts ? monthDay.format(new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))) : (text ?? "");
}

// What happened: never "in 2 s", however the two clocks differ.
export function since(text: string, now = Date.now()): string {
  return away(text, Math.min(0, new Date(text).getTime() - now));
}
// What will happen: never "2 s ago".
export function until(text: string, now = Date.now()): string {
  return away(text, Math.max(0, new Date(text).getTime() - now));
}
function away(text: string, ms: number): string {
  const seconds = ms / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return ago.format(Math.round(seconds), "second");
  if (size < 2700) return ago.format(Math.round(seconds / 60), "minute");
  if (size < 64800) return ago.format(Math.round(seconds / 3600), "hour");
  if (size < 2_000_000) return ago.format(Math.round(seconds / 86400), "day");
  return day.format(new Date(text));
}

const fixed = (value: number, digits: number): string => value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function duration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${fixed(ms / 1000, 2)} s`;
  if (ms < 60_000) return `${fixed(ms / 1000, 1)} s`;
  if (ms < 3_600_000) return two(Math.floor(ms / 60_000), "min", Math.floor((ms % 60_000) / 1000), "s");
  if (ms < 86_400_000) return two(Math.floor(ms / 3_600_000), "h", Math.floor((ms % 3_600_000) / 60_000), "min");
  return two(Math.floor(ms / 86_400_000), "d", Math.floor((ms % 86_400_000) / 3_600_000), "h");
}
function two(large: number, unit: string, rest: number, small: string): string {
  return rest === 0 ? `${large} ${unit}` : `${large} ${unit} ${rest} ${small}`;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = size;
  let unit = "";
  for (unit of units) {
    value /= 1000;
    if (value < 1000) break;
  }
  return `${value < 10 ? fixed(value, 1) : Math.round(value)} ${unit}`;
}

// "1234.50" → "1 234,50" in the reader's way; digits are moved, never computed with.
export function money(value: string | number | null | undefined, currency?: string | null): string {
  if (value === null || value === undefined || value === "") return "";
  const text = String(value);
  const parts = /^([-+]?)(\d+)(?:\.(\d+))?$/.exec(text);
  const shown = parts ? `${parts[1] === "-" ? "−" : ""}${number.format(BigInt(parts[2] ?? "0"))}${decimals(parts[3])}` : text;
  return currency ? `${shown} ${currency}` : shown;
}
const point = number.formatToParts(0.5).find((part) => part.type === "decimal")?.value ?? ".";
function decimals(digits: string | undefined): string {
  return `${point}${(digits ?? "").padEnd(2, "0")}`;
}

// The sum of decimal texts, exact: hundredths as whole numbers.
export function sumMoney(values: (string | null | undefined)[]): string {
  let hundredths = 0n;
  for (const value of values) {
    const parts = /^([-+]?)(\d+)(?:\.(\d{1,2}))?/.exec(value ?? "");
    if (!parts) continue;
    const amount = BigInt(parts[2] ?? "0") * 100n + BigInt((parts[3] ?? "").padEnd(2, "0"));
    hundredths += parts[1] === "-" ? -amount : amount;
  }
  const size = hundredths < 0n ? -hundredths : hundredths;
  return `${hundredths < 0n ? "-" : ""}${size / 100n}.${String(size % 100n).padStart(2, "0")}`;
}

// "step `ocr` failed after 3 attempts: the page is empty" → "the page is empty": what a row has room for.
export function reason(message: string): string {
  return message.replace(/^(?:step|transaction) `[^`]*` failed after \d+ attempts?: /, "");
}
