// line_panel.tsx — one line and the receipts that could belong to it, side by side; match, confirm, reject.
import { useState } from "react";
import { asFailure, request } from "../../api/client";
import { FileImage } from "../../parts/file_image";
import { date, money, share } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast, type ToastAction } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import type { Candidate, ReceiptSummary, StatementLine, WholeStatement } from "./statement";

type Verb = "match" | "confirm" | "reject" | "ignore" | "reopen";

// Which change the line's state allows; the server's own table decides.
function offered(line: StatementLine): Verb[] {
  switch (line.match_status) {
    case "auto":
    case "manual":
      return ["confirm", "reject"];
    case "pending":
      return ["ignore"];
    case "confirmed":
    case "ignored":
      return ["reopen"];
    default:
      return [];
  }
}

export function LinePanel({ statement, line, receipt }: { statement: WholeStatement; line: StatementLine; receipt: ReceiptSummary | null }) {
  const [busy, setBusy] = useState(false);
  // What takes it back: a match is rejected, a rejected one matched again, one that took another's place gives it back.
  const undoOf = (verb: Verb, file?: string): ToastAction | undefined => {
    const before = line.matched_file_id;
    if (verb === "match" && file) return { word: text.undo, act: () => void act("reject").then(() => (before ? act("match", before) : undefined)) };
    if (verb === "confirm" || verb === "ignore") return { word: text.undo, act: () => void act("reopen") };
    if (verb === "reject" && before) return { word: text.undo, act: () => void act("match", before) };
    return undefined;
  };
  const act = async (verb: Verb, file?: string) => {
    setBusy(true);
    try {
      await request(`POST /api/card-invoices/{id}/lines/{line}/${verb}`, { path: { id: statement.id, line: String(line.id) }, body: file ? { file_id: file } : {}, once: true });
      toast(text.statements.did[verb] ?? "", undoOf(verb, file));
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  const icons = { confirm: "done", reject: "failed", ignore: "skip", match: "link", reopen: "retry" } as const;
  return (
    <section className="card panel line-panel" aria-label={line.description ?? text.statements.line}>
      <div className="row">
        <h2 className="grow cut">{line.description}</h2>
        <State status={line.match_status} />
      </div>
      <p className="row">
        <span className="muted grow">{date(line.date)}</span>
        <b>{money(line.amount, line.currency ?? statement.currency)}</b>
      </p>
      {receipt && <ReceiptCard receipt={receipt} />}
      <div className="row wrap">
        {offered(line).map((verb) => (
          <button key={verb} className={`button small ${verb === "confirm" ? "primary" : ""}`} disabled={busy} onClick={() => void act(verb)}>
            <Icon name={icons[verb]} size={15} /> {text.statements[verb]}
          </button>
        ))}
      </div>
      {line.match_status !== "confirmed" && <Candidates statement={statement} line={line} onMatch={(file) => void act("match", file)} busy={busy} />}
    </section>
  );
}

function ReceiptCard({ receipt, children }: { receipt: ReceiptSummary; children?: React.ReactNode }) {
  const [broken, setBroken] = useState(false);
  return (
    <div className="receipt-card">
      <div className="thumb thumb-tall" aria-hidden="true">
        {broken ? <Icon name="receipt" /> : <FileImage path={`/api/files/${encodeURIComponent(receipt.file_id)}/pages/1?side=240`} alt="" onError={() => setBroken(true)} />}
      </div>
      <div className="grow">
        <Link href={`/receipts/${encodeURIComponent(receipt.file_id)}`}>
          <b>{receipt.merchant || receipt.name}</b>
        </Link>
        <p className="small muted">
          {date(receipt.date)} · {money(receipt.total, receipt.currency)}
        </p>
        {children}
      </div>
    </div>
  );
}

function Candidates({ statement, line, onMatch, busy }: { statement: WholeStatement; line: StatementLine; onMatch: (file: string) => void; busy: boolean }) {
  const told = useResource(`candidates ${statement.id} ${line.id}`, async () => {
    const answer = (await request("GET /api/card-invoices/{id}/candidates", { path: { id: statement.id }, query: { line: line.id } })) as { candidates: { line_id: number; candidates: Candidate[] }[] };
    return answer.candidates.flatMap((one) => one.candidates);
  });
  const what = line.description ?? "";
  const others = (told.value ?? []).filter((one) => one.file_id !== line.matched_file_id);
  return (
    <>
      <h3>{text.statements.candidates(what)}</h3>
      {told.failure && !told.value && <p className="muted small">{failureLine(told.failure)}</p>}
      {!told.value && !told.failure && <Bones rows={2} height={70} />}
      {told.value && others.length === 0 && <p className="muted">{line.matched_file_id ? text.statements.noOthers : text.statements.noCandidates}</p>}
      <ul className="candidates">
        {others
          .slice(0, 10)
          .map((one) => (
            <li key={one.file_id}>
              <CandidateCard candidate={one} onMatch={onMatch} busy={busy} />
            </li>
          ))}
      </ul>
    </>
  );
}

function CandidateCard({ candidate, onMatch, busy }: { candidate: Candidate; onMatch: (file: string) => void; busy: boolean }) {
  const told = useResource(`receipt ${candidate.file_id}`, () => request("GET /api/receipts/{id}", { path: { id: candidate.file_id } }) as Promise<Record<string, unknown>>);
  const receipt: ReceiptSummary = {
    file_id: candidate.file_id,
    name: String(told.value?.name ?? ""),
    date: (told.value?.date as string | null) ?? null,
    total: (told.value?.total as string | null) ?? null,
    currency: (told.value?.currency as string | null) ?? null,
    merchant: String(told.value?.merchant ?? ""),
  };
  const exact = Number(candidate.difference) === 0;
  return (
    <ReceiptCard receipt={receipt}>
      <p className="small">
        {exact ? text.statements.exact : text.statements.off(money(candidate.difference))} · {text.statements.days(candidate.days)} · {share(candidate.score)}
      </p>
      <button className="button small" disabled={busy} onClick={() => onMatch(candidate.file_id)}>
        <Icon name="link" size={15} /> {text.statements.match}
      </button>
    </ReceiptCard>
  );
}
