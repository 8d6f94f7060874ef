// papers_view.tsx — every receipt and invoice that was read, newest first, with what a person should look at.
import "./papers.css";
import { useCallback } from "react";
import { request } from "../../api/client";
import { useNow } from "../../parts/clock";
import { date, money, since } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { usePages } from "../../state/pages";
import { useWord } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import type { Loose } from "./paper";

const idOf = (row: Loose) => String(row.file_id ?? row.id);

export default function PapersView() {
  useTitle(text.papers.title);
  const [word, setWord] = useWord("kind");
  const kind = word === "invoices" ? "invoices" : "receipts";
  const load = useCallback(
    async (cursor: string | null) => {
      const told = (await request(`GET /api/${kind}`, { query: { limit: 100, cursor: cursor ?? undefined } })) as Record<string, unknown>;
      return { rows: (told[kind] as Loose[] | undefined) ?? [], next: (told.next_cursor as string | null) ?? null };
    },
    [kind],
  );
  const [listed, list] = usePages(kind, load, idOf, 5000);
  const now = useNow(10_000, true);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.papers.title}</h1>
          <p className="muted">{text.papers.advice}</p>
        </div>
        <div className="row" role="group" aria-label={text.papers.which}>
          {(["receipts", "invoices"] as const).map((one) => (
            <button key={one} className="button" aria-pressed={kind === one} onClick={() => setWord(one === "receipts" ? "" : one)}>
              {text.papers.kinds[one]}
            </button>
          ))}
        </div>
      </header>
      {listed.failure && listed.rows.length === 0 ? (
        <FailedPlacard failure={listed.failure} again={() => list.ring()} />
      ) : (
        <section className="card list-rows paper-list">
          {listed.first ? (
            <Bones rows={6} height={60} />
          ) : listed.rows.length === 0 ? (
            <Empty icon="papers" title={text.papers.empty[kind]}>
              <Link href="/">{text.papers.emptyAdvice}</Link>
            </Empty>
          ) : (
            <VirtualList rows={listed.rows} height={60} idOf={idOf} label={text.papers.kinds[kind]} onSee={see}>
              {(row) => <PaperRow kind={kind} row={row} now={now} />}
            </VirtualList>
          )}
        </section>
      )}
    </div>
  );
}

function PaperRow({ kind, row, now }: { kind: "receipts" | "invoices"; row: Loose; now: number }) {
  const who = row.merchant ?? row.seller_name;
  const day = row.date ?? row.issue_date;
  const total = row.total ?? row.grand_total;
  return (
    <div className="paper-row">
      <div className="grow paper-row-name">
        <Link className="row-link cut" href={`/${kind}/${encodeURIComponent(idOf(row))}`}>
          {typeof who === "string" ? who : String(row.name ?? idOf(row))}
        </Link>
        <span className="muted small cut">
          {String(row.name ?? "")} · {since(String(row.created_at), now)}
        </span>
      </div>
      <span className="muted paper-row-date">{typeof day === "string" ? date(day) : ""}</span>
      <b className="number paper-row-total">{typeof total === "string" ? money(total, row.currency as string | null) : ""}</b>
      <State status={String(row.status)} />
    </div>
  );
}
