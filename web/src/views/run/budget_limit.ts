// budget_limit.ts — a limit as a person writes it: "25 USD", "5000 tokens"; nothing: once.

export type LimitBody = { amount: string; currency: string } | { tokens: number } | Record<string, never>;

// Undefined for what is none.
export function limitOf(written: string): LimitBody | undefined {
  const told = written.trim();
  if (told === "") return {};
  const tokens = /^(\d{1,15})\s*tokens?$/i.exec(told);
  if (tokens) return { tokens: Number(tokens[1]) };
  const money = /^(\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z]{3})$/.exec(told);
  return money ? { amount: money[1] ?? "", currency: (money[2] ?? "").toUpperCase() } : undefined;
}
