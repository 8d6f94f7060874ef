// statement.ts — a card statement as the server tells it, and what people call it.
import { month } from "../../parts/format";
import { text } from "../../text";

export interface StatementLine {
  id: number;
  line_no: number;
  date: string | null;
  posted: string | null;
  description: string | null;
  city: string | null;
  amount: string | null;
  currency: string | null;
  currency_original: string | null;
  amount_original: string | null;
  match_status: string;
  matched_file_id: string | null;
  match_score: number | null;
  confidence: number | null;
}
export interface LineCounts {
  total: number;
  matched: number;
  unmatched: number;
}
// Payments and ignored lines want no receipt.
export function wanting(counts: LineCounts): number {
  return counts.matched + counts.unmatched;
}
export interface Statement {
  id: string;
  file_id: string;
  invoice_number: string | null; // none is printed on it
  statement_date: string | null;
  due_date: string | null;
  period_start: string | null;
  period_end: string | null;
  previous_balance: string | null;
  new_balance: string | null;
  total: string | null;
  sum: string | null;
  currency: string | null;
  card_number_masked: string | null;
  status: string;
  processing_status: string;
  line_counts: LineCounts;
  created_at: string;
}
export interface WholeStatement extends Statement {
  review: string[];
  workflow_run_id: string | null;
  rows: StatementLine[];
}
export interface ReceiptSummary {
  file_id: string;
  name: string;
  date: string | null;
  total: string | null;
  currency: string | null;
  merchant: string;
}
export interface Candidate {
  file_id: string;
  difference: string;
  days: number;
  score: number;
}

// "Card …1234, October 2026": nobody knows a statement by its number.
export function nameOf(one: Statement): string {
  const last = /(\d{4})\D*$/.exec(one.card_number_masked ?? "")?.[1];
  const when = month(one.statement_date ?? one.period_end);
  const card = last ? text.statements.ofCard(`…${last}`) : text.statements.one;
  return when ? `${card}, ${when}` : last ? card : `${card} ${one.invoice_number ?? ""}`.trim();
}
// Money that came back, and what was paid on the card's own account: they want no receipt.
export function isPayment(line: StatementLine): boolean {
  return Number(line.amount) < 0;
}

export function isOpen(line: StatementLine): boolean {
  return line.matched_file_id === null && line.match_status !== "ignored" && !isPayment(line);
}
