// statements_view.tsx — card statements, newest first, with how many of their lines have a receipt.
import "./statements.css";
import { useCallback } from "react";
import { request } from "../../api/client";
import { date, money } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { usePages } from "../../state/pages";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { nameOf, wanting, type Statement } from "./statement";

const idOf = (row: Statement) => row.id;

export default function StatementsView() {
  useTitle(text.statements.title);
  const load = useCallback(async (cursor: string | null) => {
    const told = (await request("GET /api/card-invoices", { query: { limit: 100, cursor: cursor ?? undefined } })) as { card_invoices: Statement[]; next_cursor: string | null };
    return { rows: told.card_invoices, next: told.next_cursor };
  }, []);
  const [listed, list] = usePages("statements", load, idOf, 5000);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.statements.title}</h1>
          <p className="muted">{text.statements.advice}</p>
        </div>
      </header>
      {listed.failure && listed.rows.length === 0 ? (
        <FailedPlacard failure={listed.failure} again={() => list.ring()} />
      ) : (
        <section className="card list-rows statement-list">
          {listed.first ? (
            <Bones rows={4} height={64} />
          ) : listed.rows.length === 0 ? (
            <Empty icon="statements" title={text.statements.empty}>
              <Link href="/">{text.statements.emptyAdvice}</Link>
            </Empty>
          ) : (
            <VirtualList rows={listed.rows} height={64} idOf={idOf} label={text.statements.title} onSee={see}>
              {(row) => (
                <div className="statement-row">
                  <div className="grow statement-row-name">
                    <Link className="row-link cut" href={`/statements/${encodeURIComponent(row.id)}`}>
                      {nameOf(row)}
                    </Link>
                    <span className="muted small cut">
                      {[row.invoice_number && text.statements.number(row.invoice_number), date(row.statement_date), row.card_number_masked].filter(Boolean).join(" · ")}
                    </span>
                  </div>
                  <div className="statement-row-lines">
                    <progress max={Math.max(1, wanting(row.line_counts))} value={row.line_counts.matched} aria-label={text.statements.lines(row.line_counts.matched, wanting(row.line_counts))} />
                    <span className="small muted">{text.statements.lines(row.line_counts.matched, wanting(row.line_counts))}</span>
                  </div>
                  <b className="number">{money(row.total ?? row.new_balance, row.currency)}</b>
                  <State status={row.status} />
                </div>
              )}
            </VirtualList>
          )}
        </section>
      )}
    </div>
  );
}
