// statements_view.tsx — card statements, newest first, with how many of their lines have a receipt.
import "./statements.css";
import { useCallback } from "react";
import { call, request } from "../../api/client";
import { BulkBar, filesOf, SelectBox, useSelection, type BulkAction } from "../../parts/bulk";
import { Choice, FilterBar, useDays } from "../../parts/filters";
import { date, money } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { everyRow, usePages } from "../../state/pages";
import { useWord, useWords } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { nameOf, wanting, type Statement } from "./statement";

const idOf = (row: Statement) => row.id;
// As the server calls them; several are the same for people.
const kStatuses: Record<string, string> = { imported: text.states.unmatched, partially_matched: text.states.partially_matched, matched: text.states.matched, completed: text.states.confirmed, failed: text.states.failed };
const kColumns = ["id", "invoice_number", "card_number_masked", "statement_date", "due_date", "period_start", "period_end", "previous_balance", "new_balance", "total", "currency", "status", "line_counts"];
const actions: BulkAction<Statement>[] = [
  { word: text.statements.matchAgain, icon: "link", fits: (row) => row.line_counts.unmatched > 0, act: (row) => request("POST /api/card-invoices/{id}/match", { path: { id: row.id }, once: true }), did: text.bulk.matched },
  { word: text.bulk.delete, icon: "trash", bad: true, fits: () => true, act: (row) => call("DELETE /api/files/{id}", { path: { id: row.file_id } }), ask: text.bulk.askDelete, did: text.bulk.deleted },
];

export default function StatementsView() {
  useTitle(text.statements.title);
  const [search, setSearch] = useWord("q");
  const sought = useSettled(search);
  const [status, setStatus] = useWord("status");
  const { from, to } = useDays();
  const setWords = useWords();
  const filtered = Boolean(sought || status || from || to);
  const load = useCallback(
    async (cursor: string | null) => {
      const told = (await request("GET /api/card-invoices", { query: { limit: 100, cursor: cursor ?? undefined, q: sought, status, from, to } })) as { card_invoices: Statement[]; next_cursor: string | null; total?: number };
      return { rows: told.card_invoices, next: told.next_cursor, total: told.total };
    },
    [sought, status, from, to],
  );
  const [listed, list] = usePages(`statements|${sought}|${status}|${from}|${to}`, load, idOf, 5000);
  const selection = useSelection(idOf);
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
        <section className="card statement-list">
          <FilterBar hint={text.statements.search} search={search} onSearch={setSearch} total={listed.total} count={text.statements.count}>
            <Choice label={text.home.state} all={text.home.everyState} value={status} options={Object.entries(kStatuses)} onChange={setStatus} />
          </FilterBar>
          <BulkBar
            selection={selection}
            total={listed.total}
            all={() => everyRow(load)}
            actions={actions}
            exports={filesOf("statements", kColumns)}
          />
          <div className="list-rows">
          {listed.first ? (
            <Bones rows={4} height={64} />
          ) : listed.rows.length === 0 ? (
            filtered ? (
              <Empty icon="search" title={text.statements.nothingFound}>
                <button className="button" onClick={() => setWords({ q: "", status: "", from: "", to: "" })}>
                  {text.papers.showAll}
                </button>
              </Empty>
            ) : (
              <Empty icon="statements" title={text.statements.empty}>
                <Link href="/">{text.statements.emptyAdvice}</Link>
              </Empty>
            )
          ) : (
            <VirtualList rows={listed.rows} height={64} idOf={idOf} label={text.statements.title} onSee={see}>
              {(row) => (
                <div className="statement-row" data-chosen={selection.has(row.id) || undefined}>
                  <SelectBox chosen={selection.has(row.id)} name={nameOf(row)} onToggle={() => selection.toggle(row)} />
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
          </div>
        </section>
      )}
    </div>
  );
}
