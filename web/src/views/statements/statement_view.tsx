// statement_view.tsx — one card statement: what it says, whether it adds up, and each line beside its receipt.
import "./statements.css";
import "../receipts/papers.css";
import { asFailure, request } from "../../api/client";
import { date, money, shortDate, sumMoney } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { FailedPlacard, Loading, failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { useWord } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { PageImages } from "../receipts/page_image";
import { reasonWords } from "../receipts/reasons";
import { LinePanel } from "./line_panel";
import { isOpen, isPayment, nameOf, type ReceiptSummary, type StatementLine, type WholeStatement } from "./statement";

export default function StatementView({ id }: { id: string }) {
  const told = useResource(`statement ${id}`, () => request("GET /api/card-invoices/{id}", { path: { id } }) as Promise<WholeStatement>);
  const matches = useResource(`matches ${id}`, async () => {
    const answer = (await request("GET /api/card-invoices/{id}/matches", { path: { id } })) as { matches: (StatementLine & { receipt: ReceiptSummary | null })[] };
    return new Map(answer.matches.map((line) => [line.id, line.receipt]));
  });
  if (!told.value) return told.failure ? <FailedPlacard failure={told.failure} again={told.reload} whole /> : <Loading title={text.statements.title} />;
  return <Shown statement={told.value} receipts={matches.value ?? new Map()} />;
}

function Shown({ statement, receipts }: { statement: WholeStatement; receipts: Map<number, ReceiptSummary | null> }) {
  useTitle(nameOf(statement));
  const [filter, setFilter] = useWord("lines");
  const [chosen, setChosen] = useWord("line");
  const [paper, setPaper] = useWord("paper");
  const all = statement.rows.filter((line) => wanted(line, filter));
  const lines = all.filter((line) => !isPayment(line));
  const payments = all.filter(isPayment);
  const line = statement.rows.find((one) => String(one.id) === chosen);
  return (
    <div className="view">
      <Head statement={statement} />
      <Glance statement={statement} />
      {statement.review.length > 0 && (
        <div className="notice tone-doubt">
          <b>{text.papers.review}</b>
          <ul className="review-list">
            {statement.review.map((reason) => (
              <li key={reason}>{reasonWords(reason)}</li>
            ))}
          </ul>
        </div>
      )}
      <div className="row wrap" role="group" aria-label={text.statements.filter}>
        {Object.entries(text.statements.filters).map(([name, word]) => (
          <button key={name} className="button small" aria-pressed={(filter || "all") === name} onClick={() => setFilter(name === "all" ? "" : name)}>
            {word} <span className="muted-count">{statement.rows.filter((one) => wanted(one, name)).length}</span>
          </button>
        ))}
        <button className="button small" aria-pressed={paper === "1"} onClick={() => setPaper(paper === "1" ? "" : "1")}>
          {text.statements.paper}
        </button>
      </div>
      <div className="statement-body" data-paper={paper === "1" || undefined}>
        {paper === "1" && <StatementPaper statement={statement} />}
        <section className="card" aria-label={text.papers.lines}>
          <table className="statement-lines">
            <thead>
              <tr>
                <th scope="col" className="wide-only">
                  {text.statements.when}
                </th>
                <th scope="col">{text.statements.what}</th>
                <th scope="col" className="number">
                  {text.statements.amount}
                </th>
                <th scope="col" className="wide-only">
                  {text.statements.receipt}
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((one) => (
                <LineRow key={one.id} line={one} receipt={receipts.get(one.id) ?? null} currency={statement.currency} chosen={one === line} onChoose={() => setChosen(one === line ? "" : String(one.id))} />
              ))}
            </tbody>
            {payments.length > 0 && (
              <tbody>
                <tr className="payments-head">
                  <th scope="rowgroup" colSpan={4}>
                    {text.statements.payments} <span className="muted">{money(sumMoney(payments.map((one) => one.amount)), statement.currency)}</span>
                  </th>
                </tr>
                {payments.map((one) => (
                  <LineRow key={one.id} line={one} receipt={receipts.get(one.id) ?? null} currency={statement.currency} chosen={one === line} onChoose={() => setChosen(one === line ? "" : String(one.id))} />
                ))}
              </tbody>
            )}
          </table>
        </section>
        <aside>
          {line ? (
            <LinePanel key={line.id} statement={statement} line={line} receipt={receipts.get(line.id) ?? null} />
          ) : (
            <section className="card panel muted line-hint">
              <p>{text.statements.choose}</p>
            </section>
          )}
        </aside>
      </div>
    </div>
  );
}

// The pages that the lines were read from.
function StatementPaper({ statement }: { statement: WholeStatement }) {
  const told = useResource(`pages ${statement.file_id}`, () => request("GET /api/files/{id}/pages", { path: { id: statement.file_id } }) as Promise<{ pages: Record<string, unknown>[] }>);
  const pages = (told.value?.pages ?? []).map((page) => ({ number: Number(page.number), fileId: String(page.file_id), width: Number(page.width), height: Number(page.height), rotation: Number(page.rotation ?? 0), text: String(page.text ?? "") }));
  return <PageImages pages={pages} fileId={statement.file_id} picture={false} shown={null} marks={[]} />;
}

function wanted(line: StatementLine, filter: string): boolean {
  if (filter === "open") return isOpen(line);
  if (filter === "matched") return line.matched_file_id !== null && line.match_status !== "confirmed";
  if (filter === "confirmed") return line.match_status === "confirmed";
  return true;
}

function Head({ statement }: { statement: WholeStatement }) {
  const match = async () => {
    try {
      const told = (await request("POST /api/card-invoices/{id}/match", { path: { id: statement.id }, once: true })) as { changed: number };
      toast(text.statements.matchedNow(told.changed));
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <header className="view-head">
      <div>
        <p className="small">
          <Link href="/statements" className="muted">
            {text.statements.title}
          </Link>
        </p>
        <h1 className="row wrap">
          {nameOf(statement)} <State status={statement.status} />
        </h1>
        <p className="muted">{[statement.invoice_number && text.statements.number(statement.invoice_number), statement.card_number_masked].filter(Boolean).join(" · ")}</p>
      </div>
      <div className="row wrap">
        {statement.workflow_run_id && (
          <Link className="button" href={`/runs/${encodeURIComponent(statement.workflow_run_id)}`}>
            <Icon name="runs" size={16} /> {text.documents.run}
          </Link>
        )}
        <a className="button" href={`/api/card-invoices/${encodeURIComponent(statement.id)}/lines.csv`} download>
          {text.statements.csv}
        </a>
        <button className="button primary" onClick={() => void match()}>
          <Icon name="link" size={16} /> {text.statements.matchAgain}
        </button>
      </div>
    </header>
  );
}

// Totals, and what is missing, before any line is read.
function Glance({ statement }: { statement: WholeStatement }) {
  const words = text.statements;
  const open = statement.rows.filter(isOpen);
  const printed = statement.total ?? statement.new_balance;
  const sum = sumMoney(statement.rows.map((line) => line.amount));
  const right = printed !== null && sumMoney([printed]) === sum;
  return (
    <div className="tiles">
      <Tile label={words.date}>{date(statement.statement_date) || "–"}</Tile>
      {statement.period_start && <Tile label={words.period}>{`${shortDate(statement.period_start)} – ${shortDate(statement.period_end)}`}</Tile>}
      {statement.due_date && <Tile label={words.due}>{date(statement.due_date)}</Tile>}
      {statement.previous_balance && <Tile label={words.previous}>{money(statement.previous_balance, statement.currency)}</Tile>}
      {statement.new_balance && <Tile label={words.balance}>{money(statement.new_balance, statement.currency)}</Tile>}
      <Tile label={words.total} tone={printed === null ? "" : right ? "tone-ok good" : "tone-doubt good"} title={right ? words.sumRight : words.sumWrong(money(sum, statement.currency))}>
        {money(printed, statement.currency) || "–"}
        {printed !== null && <span className="tile-more">{right ? words.sumRight : words.sumWrong(money(sum, statement.currency))}</span>}
      </Tile>
      <Tile label={open.length > 0 ? words.filters.open ?? "" : words.receipt} tone={open.length > 0 ? "tone-doubt good" : "tone-ok good"}>
        {open.length > 0 ? words.missing(open.length) : words.complete}
        {open.length > 0 && <span className="tile-more">{money(sumMoney(open.map((line) => line.amount)), statement.currency)}</span>}
      </Tile>
    </div>
  );
}

function Tile({ label, tone = "", title, children }: { label: string; tone?: string; title?: string; children: React.ReactNode }) {
  return (
    <div className={`tile ${tone}`} title={title}>
      <span className="tile-label">{label}</span>
      <span className="tile-value">{children}</span>
    </div>
  );
}

interface LineProps {
  line: StatementLine;
  receipt: ReceiptSummary | null;
  currency: string | null;
  chosen: boolean;
  onChoose: () => void;
}

function LineRow({ line, receipt, currency, chosen, onChoose }: LineProps) {
  const status = line.match_status === "pending" && Number(line.amount) < 0 ? "credit" : line.match_status;
  return (
    <tr data-chosen={chosen || undefined} onClick={onChoose}>
      <td className="muted wide-only">{shortDate(line.date)}</td>
      <td>
        <button
          className="line-button"
          aria-pressed={chosen}
          onClick={(event) => {
            event.stopPropagation();
            onChoose();
          }}
        >
          {line.description}
        </button>
        <p className="small muted">
          <span className="narrow-only">{shortDate(line.date)} </span>
          {line.city} {line.amount_original && line.currency_original !== currency && money(line.amount_original, line.currency_original)}
        </p>
      </td>
      <td className="number">
        {money(line.amount, line.currency ?? currency)}
        <p className="narrow-only">
          <State status={status} />
        </p>
      </td>
      <td className="wide-only">
        <State status={status} />
        {receipt && (
          <p className="small muted">
            {receipt.merchant || receipt.name} · {shortDate(receipt.date)}
            {receipt.total !== line.amount && ` · ${money(receipt.total, receipt.currency)}`}
          </p>
        )}
      </td>
    </tr>
  );
}
