// papers_view.tsx — every receipt and invoice that was read: found by text, day, amount and state, sorted, counted; some or
// all of them approved, read as something else, saved or deleted at once. The address is the view.
import "./papers.css";
import { useCallback } from "react";
import { call, request } from "../../api/client";
import { BulkBar, filesOf, SelectBox, useSelection, type BulkAction, type Selection } from "../../parts/bulk";
import { useNow } from "../../parts/clock";
import { Choice, FilterBar, useDays } from "../../parts/filters";
import { date, money, since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State } from "../../parts/state";
import { Thumbnail } from "../../parts/thumbnail";
import { VirtualList } from "../../parts/virtual_list";
import { everyRow, usePages } from "../../state/pages";
import { go, useWord } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { approvePaper, readAs, reopenPaper } from "./judge";
import type { Loose } from "./paper";

const idOf = (row: Loose) => String(row.file_id ?? row.id);
const kColumns = {
  receipts: ["file_id", "name", "merchant", "orgnr", "date", "total", "currency", "payment_type", "expense_type", "vat", "items", "status", "statement_id"],
  invoices: ["file_id", "name", "seller_name", "buyer_name", "invoice_number", "issue_date", "due_date", "net_total", "tax_total", "grand_total", "currency", "lines", "status"],
};

export default function PapersView() {
  useTitle(text.papers.title);
  const [word, setWord] = useWord("kind");
  const kind = word === "invoices" ? "invoices" : "receipts";
  const [search, setSearch] = useWord("q");
  const sought = useSettled(search);
  const [status, setStatus] = useWord("status");
  const { from, to } = useDays();
  const [least, setLeast] = useWord("least");
  const [most, setMost] = useWord("most");
  const [matched, setMatched] = useWord("matched");
  const [sort, setSort] = useWord("sort");
  const asked = JSON.stringify({ q: sought, status, from, to, least: useSettled(least), most: useSettled(most), matched, sort });
  const filtered = Boolean(sought || status || from || to || least || most || matched);
  const load = useCallback(
    async (cursor: string | null) => {
      const told = (await request(`GET /api/${kind}`, { query: { ...(JSON.parse(asked) as object), limit: cursor === null ? 100 : 200, cursor: cursor ?? undefined } })) as Record<string, unknown>;
      return { rows: (told[kind] as Loose[] | undefined) ?? [], next: (told.next_cursor as string | null) ?? null, total: told.total as number | undefined };
    },
    [kind, asked],
  );
  const [listed, list] = usePages(`${kind}|${asked}`, load, idOf, 5000);
  const now = useNow(10_000, true);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  const selection = useSelection(idOf);
  const one = kind === "receipts" ? "receipt" : "invoice";
  const actions: BulkAction<Loose>[] = [
    { word: text.papers.approve, icon: "done", fits: (row) => /completed|manual_review/.test(String(row.status)) && !row.approved_by, act: (row) => approvePaper(one, idOf(row)), undo: (row) => reopenPaper(one, idOf(row)), did: text.bulk.approved },
    { word: text.run.verbs.retry, icon: "retry", fits: (row) => /failed|canceled/.test(String(row.status)), act: (row) => call("POST /api/runs/{id}/retry", { path: { id: String(row.workflow_run_id) }, body: {} as never, once: true }), did: text.bulk.retried },
    { word: text.papers.readAs(text.kinds[one === "receipt" ? "invoice" : "receipt"].word), icon: "papers", fits: () => true, act: (row) => readAs(idOf(row), one === "receipt" ? "invoice" : "receipt"), did: text.bulk.readAgain },
    { word: text.bulk.delete, icon: "trash", bad: true, fits: () => true, act: (row) => call("DELETE /api/files/{id}", { path: { id: idOf(row) } }), ask: text.bulk.askDelete, did: text.bulk.deleted },
  ];
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.papers.title}</h1>
          <p className="muted">{text.papers.advice}</p>
        </div>
        <Link className="button" href={`/export${from || to ? `?from=${from}&to=${to}` : ""}`}>
          <Icon name="down" size={16} /> {text.exports.title}
        </Link>
        <div className="row" role="group" aria-label={text.papers.which}>
          {(["receipts", "invoices"] as const).map((each) => (
            <button
              key={each}
              className="button"
              aria-pressed={kind === each}
              onClick={() => {
                selection.set([]);
                setWord(each === "receipts" ? "" : each);
              }}
            >
              {text.papers.kinds[each]}
            </button>
          ))}
        </div>
      </header>
      <section className="card">
        <FilterBar
          hint={text.papers.search}
          search={search}
          onSearch={setSearch}
          total={listed.total}
          count={text.papers.count}
          more={
            <>
              <span className="row">
                <input className="field amount" inputMode="decimal" placeholder={text.papers.least} aria-label={text.papers.least} value={least} onChange={(event) => setLeast(event.target.value.replace(",", "."))} />
                <input className="field amount" inputMode="decimal" placeholder={text.papers.most} aria-label={text.papers.most} value={most} onChange={(event) => setMost(event.target.value.replace(",", "."))} />
              </span>
              <Choice label={text.papers.sort} value={sort} options={Object.entries(text.papers.sorts).map(([value, name]) => [value === "newest" ? "" : value, name])} onChange={setSort} />
            </>
          }
        >
          <Choice label={text.home.state} all={text.home.everyState} value={status} options={(["manual_review", "completed", "processing", "failed", "canceled"] as const).map((each) => [each, text.states[each]])} onChange={setStatus} />
          {kind === "receipts" && <Choice label={text.papers.match} all={text.papers.matches.all} value={matched} options={[["0", text.papers.matches.no], ["1", text.papers.matches.yes]]} onChange={setMatched} />}
        </FilterBar>
        <BulkBar
          selection={selection}
          total={listed.total}
          all={() => everyRow(load)}
          actions={actions}
          exports={filesOf(kind, kColumns[kind])}
        />
        {listed.failure && listed.rows.length === 0 ? (
          <FailedPlacard failure={listed.failure} again={() => list.ring()} />
        ) : (
          <div className="list-rows paper-list">
            {listed.first ? (
              <Bones rows={6} height={60} />
            ) : listed.rows.length === 0 ? (
              filtered ? (
                <Empty icon="search" title={text.papers.nothingFound}>
                  <button className="button" onClick={() => go(`${location.pathname}${word ? `?kind=${word}` : ""}`, true)}>
                    {text.papers.showAll}
                  </button>
                </Empty>
              ) : (
                <Empty icon="papers" title={text.papers.empty[kind]}>
                  <Link href="/">{text.papers.emptyAdvice}</Link>
                </Empty>
              )
            ) : (
              <VirtualList rows={listed.rows} height={60} idOf={idOf} label={text.papers.kinds[kind]} onSee={see}>
                {(row) => <PaperRow kind={kind} row={row} now={now} selection={selection} />}
              </VirtualList>
            )}
          </div>
        )}
      </section>
    </div>
  );
}

function PaperRow({ kind, row, now, selection }: { kind: "receipts" | "invoices"; row: Loose; now: number; selection: Selection<Loose> }) {
  const who = row.merchant ?? row.seller_name;
  const day = row.date ?? row.issue_date;
  const total = row.total ?? row.grand_total;
  const id = idOf(row);
  const name = typeof who === "string" ? who : String(row.name ?? id);
  return (
    <div className="paper-row" data-chosen={selection.has(id) || undefined}>
      <SelectBox chosen={selection.has(id)} name={String(row.name ?? name)} onToggle={() => selection.toggle(row)} />
      <Thumbnail id={id} icon={kind === "receipts" ? "receipt" : "invoice"} />
      <div className="grow paper-row-name">
        <Link className="row-link cut" href={`/${kind}/${encodeURIComponent(id)}`}>
          {name}
        </Link>
        <span className="muted small cut">
          {String(row.name ?? "")} · {since(String(row.created_at), now)}
        </span>
      </div>
      <span className="muted paper-row-date">{typeof day === "string" ? date(day) : ""}</span>
      <b className="number paper-row-total">{typeof total === "string" ? money(total, row.currency as string | null) : ""}</b>
      <State status={row.approved_by ? "approved" : String(row.status)} />
    </div>
  );
}
