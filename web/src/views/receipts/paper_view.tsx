// paper_view.tsx — a receipt or an invoice: the paper beside what was read from it. Pointing at a field shows where it
// stands; what the reading was not sure of is marked; a value can be corrected, and the whole approved.
import "./papers.css";
import { useMemo, useState } from "react";
import { asFailure, call, request } from "../../api/client";
import { date, money, share } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { FailedPlacard, Loading, failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { PageImages } from "./page_image";
import { isApproved, kSureFrom, paperOf, reasonsNow, type Box, type Field, type Loose, type Paper } from "./paper";
import { readReason, reasonWords, remedyOf } from "./reasons";
import { TwoReadings } from "./two_readings";
import { approveWithUndo, readAs, readPageAgain, type PaperKind } from "./judge";
import { Entries, Lines, Vat } from "./tables";
import { go } from "../../state/router";
import { kindOf, kinds, takes } from "../home/kinds";
import { RetryButton } from "../run/actions";

const routes = { receipt: "/api/receipts/{id}", invoice: "/api/invoices/{id}" };

// `inQueue`: who looks through a queue has its own buttons for going on.
export default function PaperView({ kind, id, inQueue = false }: { kind: PaperKind; id: string; inQueue?: boolean }) {
  const told = useResource(`${kind} ${id}`, () => request(`GET ${routes[kind]}`, { path: { id } }) as Promise<Loose>);
  const file = useResource(`file ${id}`, () => call("GET /api/files/{id}", { path: { id } }));
  if (!told.value) return told.failure ? <FailedPlacard failure={told.failure} again={told.reload} whole /> : <Loading title={text.papers.title} />;
  return <Shown kind={kind} id={id} told={told.value} content={file.value?.content_type ?? "image/png"} inQueue={inQueue} />;
}

type Pointed = { page: number; box: Box | null; goThere?: boolean } | null;

function Shown({ kind, id, told, content, inQueue }: { kind: PaperKind; id: string; told: Loose; content: string; inQueue: boolean }) {
  const picture = content.startsWith("image/");
  const paper = useMemo(() => paperOf(kind, told), [kind, told]);
  const [shown, setShown] = useState<Pointed>(null);
  const marks = useMemo(() => paper.fields.flatMap((field) => (field.box ? [{ page: field.page, box: field.box, doubtful: isDoubtful(field) }] : [])), [paper]);
  const fields = paper.fields;
  const reasons = reasonsNow(paper, String(told.status ?? ""));
  const status = String(told.status ?? "completed");
  const approved = isApproved(paper);
  const title = fields.find((field) => field.name === "merchant" || field.name === "seller_name")?.value;
  useTitle(title ?? String(told.name ?? id));
  const runId = typeof told.workflow_run_id === "string" ? told.workflow_run_id : null;
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <p className="small">
            <Link href="/receipts" className="muted">
              {text.papers.title}
            </Link>{" "}
            <span className="muted">/ {String(told.name ?? "")}</span>
          </p>
          <h1 className="row wrap">
            {title ?? String(told.name ?? id)} <State status={status} /> {approved && <State status="approved" />}
          </h1>
        </div>
        <div className="row wrap">
          {runId && (
            <Link className="button" href={`/runs/${encodeURIComponent(runId)}`}>
              <Icon name="runs" size={16} /> {text.documents.run}
            </Link>
          )}
          {typeof told.statement_id === "string" && (
            <Link className="button" href={`/statements/${encodeURIComponent(told.statement_id)}`}>
              <Icon name="statements" size={16} /> {text.statements.one}
            </Link>
          )}
          <ReadAs id={id} kind={kind} content={content} />
          {!inQueue && !approved && (status === "completed" || status === "manual_review") && (
            <button className="button primary" onClick={() => void approveWithUndo(kind, id)}>
              <Icon name="done" size={16} /> {text.papers.approve}
            </button>
          )}
        </div>
      </header>
      {(status === "failed" || status === "canceled") && runId && <Ended runId={runId} name={String(told.name ?? id)} error={typeof told.error === "string" ? told.error : ""} />}
      {paper.xml !== null && (
        <p className="notice tone-ok row from-xml">
          <Icon name="invoice" size={16} /> <span>{text.papers.fromXml(paper.xml)}</span>
        </p>
      )}
      {reasons.length > 0 && (
        <div className="notice tone-doubt">
          <p>
            <b>{text.papers.review}</b>
          </p>
          <ul className="review-list">
            {reasons.map((reason) => (
              <li key={reason}>
                {reasonWords(reason)} {readReason(reason).kind === "twoWays" ? <TwoReadings id={id} kind={kind} reason={reason} fields={fields} /> : <Remedy id={id} kind={kind} reason={reason} />}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="paper-body">
        <PageImages pages={paper.pages} fileId={id} picture={picture} shown={shown} marks={marks} />
        <div className="paper-side">
          <section className="card panel">
            <h2>{text.papers.read}</h2>
            <dl className="fields">
              {fields.map((field) => (
                <FieldRow key={field.name} kind={kind} id={id} field={field} currency={paper.currency} onPoint={setShown} />
              ))}
            </dl>
          </section>
          {kind === "receipt" && <Vat id={id} paper={paper} />}
          <Lines kind={kind} id={id} paper={paper} onPoint={setShown} />
          <Entries paper={paper} />
        </div>
      </div>
    </div>
  );
}

// Why nothing was read, and again with one click. A run that somebody canceled has not failed.
function Ended({ runId, name, error }: { runId: string; name: string; error: string }) {
  const run = useResource(`run ${runId}`, () => call("GET /api/runs/{id}", { path: { id: runId } }));
  const canceled = run.value?.status === "canceled";
  const why = run.value?.error?.message ?? error;
  return (
    <div className={`notice row wrap ${canceled ? "tone-still" : "tone-bad"}`} role="status">
      <p className="grow">
        <b>{canceled ? text.papers.canceled : text.papers.failed}</b> <span className="error-text">{why}</span>
      </p>
      <RetryButton id={runId} name={name} />
    </div>
  );
}

function isDoubtful(field: Field): boolean {
  return field.confidence !== null && field.confidence < kSureFrom;
}

// What a reason calls for, as one click.
function Remedy({ id, kind, reason }: { id: string; kind: PaperKind; reason: string }) {
  const [busy, setBusy] = useState(false);
  const remedy = remedyOf(reason);
  if (remedy === null || "take" in remedy || ("readAs" in remedy && (remedy.readAs === kind || kindOf(remedy.readAs) === undefined))) return null;
  const type = "readAs" in remedy ? remedy.readAs : null;
  const act = async () => {
    setBusy(true);
    try {
      const taken = "readAs" in remedy ? await readAs(id, remedy.readAs) : await readPageAgain(id, remedy.page);
      toast(type ? text.papers.readAgain(kindOf(type)?.word ?? type) : text.papers.pageReadAgain);
      refreshWhere(() => true);
      go(`/runs/${encodeURIComponent(taken.workflow_run_id)}`);
    } catch (error) {
      toast(failureLine(asFailure(error)));
      setBusy(false);
    }
  };
  return (
    <button className="button small" disabled={busy} onClick={() => void act()}>
      {type ? text.papers.readAsKind(kindOf(type)?.word ?? type) : text.papers.readPageAgain}
    </button>
  );
}

// Taken for the wrong kind: the same bytes are read as another, and what was read wrongly goes.
function ReadAs({ id, kind, content }: { id: string; kind: PaperKind; content: string }) {
  const [busy, setBusy] = useState(false);
  const read = async (type: string) => {
    setBusy(true);
    try {
      const taken = await readAs(id, type);
      toast(text.papers.readAgain(kindOf(type)?.word ?? type));
      refreshWhere(() => true);
      go(`/runs/${encodeURIComponent(taken.workflow_run_id)}`);
    } catch (error) {
      toast(failureLine(asFailure(error)));
      setBusy(false);
    }
  };
  const others = kinds.filter((one) => one.type !== kind && takes(one, [content]));
  if (others.length === 0) return null; // XML is an invoice or nothing
  return (
    <select className="field" disabled={busy} aria-label={text.papers.readAsLabel} value="" onChange={(event) => void read(event.target.value)}>
      <option value="" disabled>
        {text.papers.readAsLabel}
      </option>
      {others.map((one) => (
        <option key={one.type} value={one.type}>
          {one.word}
        </option>
      ))}
    </select>
  );
}

interface FieldProps {
  kind: string;
  id: string;
  field: Field;
  currency: Paper["currency"];
  onPoint: (where: Pointed) => void;
}

function FieldRow({ kind, id, field, currency, onPoint }: FieldProps) {
  const [editing, setEditing] = useState(false);
  const point = () => field.box && onPoint({ page: field.page, box: field.box });
  const shown = field.value === null ? text.papers.notFound : field.money ? money(field.value, currency) : field.day ? date(field.value) : field.value;
  return (
    <div className="field-row" data-doubtful={isDoubtful(field) || undefined} onMouseEnter={point} onMouseLeave={() => onPoint(null)}>
      <dt>{field.label}</dt>
      <dd>
        {editing ? (
          <EditField kind={kind} id={id} field={field} onDone={() => setEditing(false)} />
        ) : (
          <button className="field-value" onClick={() => setEditing(true)} onFocus={() => field.box && onPoint({ page: field.page, box: field.box, goThere: true })} onBlur={() => onPoint(null)}>
            <span className={field.value === null ? "muted" : ""}>{shown}</span>
            <span className="hidden">{text.papers.edit}</span>
            {isDoubtful(field) && (
              <span className="state tone-doubt" title={text.papers.sure(share(field.confidence ?? 0))}>
                <Icon name="doubt" size={13} /> {share(field.confidence ?? 0)}
              </span>
            )}
          </button>
        )}
      </dd>
    </div>
  );
}

function EditField({ kind, id, field, onDone }: { kind: string; id: string; field: Field; onDone: () => void }) {
  const [value, setValue] = useState(field.value ?? "");
  const save = async () => {
    try {
      await request(`PATCH /api/${kind}s/{id}`, { path: { id }, body: { [field.name]: value.trim() || null } });
      toast(text.papers.saved(field.label));
      refreshWhere(() => true);
      onDone();
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => event.key === "Escape" && onDone()}
    >
      <input className="field" autoFocus aria-label={field.label} value={value} onChange={(event) => setValue(event.target.value)} />
      <button className="button small primary">{text.papers.save}</button>
      <button type="button" className="button small" onClick={onDone}>
        {text.cancel}
      </button>
    </form>
  );
}
