// upload_row.tsx — one uploaded file: what it looks like, what it is, how far it is, what was found.
import { memo } from "react";
import type { Answer } from "../../api/client";
import { bytes, reason, share, since, time } from "../../parts/format";
import { Link } from "../../parts/link";
import { State, isOver } from "../../parts/state";
import { Thumbnail } from "../../parts/thumbnail";
import { text } from "../../text";
import { RetryButton } from "../run/actions";
import { kindOf } from "./kinds";
import { Found } from "./found";

export type Upload = Answer<"GET /api/uploads">["uploads"][number];

const kFailed = new Set(["failed", "classification_failed"]);

// What it does now, by what its run says: the file's own status does not tell waiting from work, nor who gave up.
export function statusOf(upload: Upload, waits?: ReadonlySet<string>): string {
  const run = upload.run_state;
  if (kFailed.has(upload.status)) return run === "canceled" ? "canceled" : run && !isOver(run) ? run : "failed";
  if (isOver(upload.status) || !run || isOver(run)) return upload.status;
  return run === "running" && waits?.has(upload.workflow_run_id) ? "helper" : run;
}

// Where its result is shown best.
export function hrefOf(upload: Upload): string {
  const id = encodeURIComponent(upload.file_id);
  if (isOver(upload.status) && !/failed|canceled/.test(upload.status)) {
    if (upload.workflow_type === "receipt") return `/receipts/${id}`;
    if (upload.workflow_type === "invoice") return `/invoices/${id}`;
    if (upload.workflow_type === "creditcard_invoice") return `/statements/${id}`;
  }
  return `/runs/${encodeURIComponent(upload.workflow_run_id)}`;
}

export const UploadRow = memo(function UploadRow({ upload, now, waits }: { upload: Upload; now: number; waits?: ReadonlySet<string> }) {
  const kind = kindOf(upload.workflow_type);
  const status = statusOf(upload, waits);
  const again = status === "failed" || status === "canceled";
  return (
    <div className="upload">
      <Thumbnail id={upload.file_id} icon={kind?.icon ?? "documents"} />
      <div className="upload-name">
        <Link className="upload-link cut" href={hrefOf(upload)}>
          {upload.name}
        </Link>
        <span className="muted small cut upload-about">
          {kind?.word ?? upload.workflow_type} · {bytes(upload.r2_size)} · <time dateTime={upload.created_at} title={time(upload.created_at)}>{since(upload.created_at, now)}</time>
        </span>
      </div>
      <div className="upload-found cut">
        {upload.label ? (
          <span className="row">
            <span className="cut">{upload.label}</span>
            {upload.score !== null && <Score score={upload.score} />}
          </span>
        ) : status === "failed" ? (
          <span className="cut tone-bad upload-problem" title={upload.error ?? ""}>
            {reason(upload.error ?? "")}
          </span>
        ) : (
          <Found upload={upload} />
        )}
      </div>
      <div className="upload-end">
        {again && <RetryButton id={upload.workflow_run_id} name={upload.name} />}
        <State status={status} />
      </div>
    </div>
  );
});

function Score({ score }: { score: number }) {
  return (
    <span className="score" title={text.home.score(share(score))}>
      <i style={{ width: Math.round(score * 56) }} />
      <b>{share(score)}</b>
    </span>
  );
}
