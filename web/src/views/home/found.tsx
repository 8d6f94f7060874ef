// found.tsx — what was found in a paper, in one line of the list: who, when, how much.
import { request } from "../../api/client";
import { useCalm } from "../../parts/calm";
import { date, money } from "../../parts/format";
import { useResource } from "../../state/resource";
import { isOver } from "../../parts/state";
import { text } from "../../text";
import { wanting, type LineCounts } from "../statements/statement";
import type { Upload } from "./upload_row";

const routes: Record<string, string> = {
  receipt: "GET /api/receipts/{id}",
  invoice: "GET /api/invoices/{id}",
  creditcard_invoice: "GET /api/card-invoices/{id}",
};

export function Found({ upload }: { upload: Upload }) {
  const route = routes[upload.workflow_type];
  const calm = useCalm();
  const wanted = calm && route !== undefined && isOver(upload.status);
  const told = useResource(wanted ? `found ${upload.file_id} ${upload.updated_at}` : null, () => request(route ?? "", { path: { id: upload.file_id } }));
  const paper = told.value as Record<string, unknown> | undefined;
  if (!paper) return null;
  const lines = paper.line_counts as LineCounts | undefined;
  const who = lines ? text.statements.lines(lines.matched, wanting(lines)) : (paper.merchant ?? paper.seller_name);
  const when = paper.date ?? paper.issue_date ?? paper.statement_date;
  const total = paper.total ?? paper.grand_total ?? paper.new_balance;
  return (
    <span className="row found">
      {typeof who === "string" && <b className="cut">{who}</b>}
      {typeof when === "string" && <span className="muted">{date(when)}</span>}
      {typeof total === "string" && <span className="number">{money(total, paper.currency as string | null)}</span>}
    </span>
  );
}
