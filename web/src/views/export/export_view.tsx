// export_view.tsx — everything as files of one's own: for the accountant, for a spreadsheet, for another program.
//
// What the server writes comes from the server; a list that it only tells in pages is put together here.
import { useState } from "react";
import { address, asFailure, call, request, ready } from "../../api/client";
import { DayRange, momentsOf, useDays, type Days } from "../../parts/filters";
import { Icon, type IconName } from "../../parts/icon";
import { failureLine } from "../../parts/placards";
import { saveCsv, saveJson } from "../../parts/save_file";
import { toast } from "../../parts/toasts";
import { everyRow } from "../../state/pages";
import { useWords } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";

type Loose = Record<string, unknown>;
const words = text.exports;
const fields = {
  receipts: ["file_id", "name", "merchant", "orgnr", "date", "total", "currency", "payment_type", "expense_type", "vat", "items", "status", "approved_by", "statement_id"],
  invoices: ["file_id", "name", "seller_name", "buyer_name", "invoice_number", "issue_date", "due_date", "net_total", "tax_total", "grand_total", "currency", "lines", "status", "approved_by"],
  statements: ["id", "invoice_number", "card_number_masked", "statement_date", "due_date", "period_start", "period_end", "previous_balance", "new_balance", "total", "currency", "status"],
  runs: ["id", "workflow_key", "status", "file_id", "created_at", "started_at", "completed_at", "attempts", "error"],
  documents: ["id", "url", "title", "content_type", "status", "fetched_at", "created_at"],
};
type What = keyof typeof fields;

// Every row of a list of the API.
function rowsOf(route: string, list: string, query: Loose = {}): Promise<Loose[]> {
  return everyRow(async (cursor) => {
    const told = (await request(`GET ${route}`, { query: { ...query, limit: 200, cursor: cursor ?? undefined } })) as Loose;
    return { rows: (told[list] as Loose[] | undefined) ?? [], next: (told.next_cursor as string | null) ?? null };
  });
}
const within = (range: Days, name: string) => (row: Loose) => {
  const day = String(row[name] ?? "").slice(0, 10);
  return (!range.from || day >= range.from) && (!range.to || day <= range.to);
};

async function collect(what: What, range: Days): Promise<Loose[]> {
  if (what === "receipts" || what === "invoices") return rowsOf(`/api/${what}`, what, { ...range });
  if (what === "runs") return rowsOf("/api/runs", "runs", momentsOf(range));
  if (what === "documents") return (await rowsOf("/api/documents", "documents")).filter(within(range, "created_at"));
  const all = await rowsOf("/api/card-invoices", "card_invoices", { ...range });
  return Promise.all(all.map(async (one) => ({ ...one, lines: (await call("GET /api/card-invoices/{id}/lines", { path: { id: String(one.id) } }) as Loose).lines })));
}

// The cookie goes with it.
async function download(path: string, name: string): Promise<void> {
  await ready(path);
  const link = document.createElement("a");
  link.href = path;
  link.download = name;
  link.click();
}

export default function ExportView() {
  useTitle(words.title);
  const { from, to } = useDays();
  const set = useWords();
  const [busy, setBusy] = useState("");
  const range = { from, to };
  const take = async (key: string, work: () => Promise<void>) => {
    setBusy(key);
    try {
      await work();
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy("");
  };
  // `papers`: the kind of file whose originals can be had.
  const rows: { what: What; icon: IconName; papers?: string }[] = [
    { what: "receipts", icon: "receipt", papers: "receipt" },
    { what: "invoices", icon: "invoice", papers: "invoice" },
    { what: "statements", icon: "card", papers: "creditcard_invoice" },
    { what: "documents", icon: "documents" },
    { what: "runs", icon: "runs" },
  ];
  const button = (key: string, word: string, work: () => Promise<void>, primary = false) => (
    <button key={key} className={`button ${primary ? "primary" : ""}`} disabled={busy !== ""} onClick={() => void take(key, work)}>
      {busy === key ? words.busy : word}
    </button>
  );
  const stamp = [from, to].filter(Boolean).join("_");
  const name = (what: string) => (stamp ? `${what}-${stamp}` : what);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{words.title}</h1>
          <p className="muted">{words.advice}</p>
        </div>
      </header>
      <section className="card panel" aria-label={words.period}>
        <div className="row wrap">
          <h2>{words.period}</h2>
          <DayRange />
          <button className="button small" aria-pressed={!from && !to} onClick={() => set({ from: "", to: "" })}>
            {words.everything}
          </button>
        </div>
      </section>
      <section className="card panel export-main" aria-label={words.accountant}>
        <div className="grow">
          <h2>{words.accountant}</h2>
          <p className="muted">{words.accountantAdvice}</p>
        </div>
        <div className="row wrap">
          {button("sie", words.sie, () => download(address("/api/export/sie", {}, range), `${name("belay")}.se`), true)}
          {button("zip", words.originals, () => download(address("/api/export/originals.zip", {}, range), `${name("originals")}.zip`))}
        </div>
      </section>
      <section className="card panel" aria-label={words.lists}>
        <h2>{words.lists}</h2>
        <ul className="export-rows">
          {rows.map(({ what, icon, papers }) => (
            <li key={what} className="row wrap">
              <Icon name={icon} />
              <span className="grow">
                <b>{words.what[what]}</b> <span className="muted small">{words.about[what]}</span>
              </span>
              {button(`${what}.csv`, text.bulk.csv, async () => saveCsv(name(what), await collect(what, range), fields[what]))}
              {button(`${what}.json`, text.bulk.json, async () => saveJson(name(what), await collect(what, range)))}
              {papers && button(`${what}.zip`, words.zip, () => download(address("/api/export/originals.zip", {}, { ...range, kind: papers }), `${name(what)}.zip`))}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
