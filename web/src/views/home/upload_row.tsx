// upload_row.tsx — one uploaded file: what it looks like, what it is, how far it is, what was found.
import { memo, useState } from "react";
import type { Answer } from "../../api/client";
import { useCalm } from "../../parts/calm";
import { FileImage } from "../../parts/file_image";
import { bytes, reason, share, since, time } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { State, isOver } from "../../parts/state";
import { text } from "../../text";
import { RetryButton } from "../run/actions";
import { kindOf } from "./kinds";
import { Found } from "./found";

export type Upload = Answer<"GET /api/uploads">["uploads"][number];

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

export const UploadRow = memo(function UploadRow({ upload, now }: { upload: Upload; now: number }) {
  const kind = kindOf(upload.workflow_type);
  const failed = /failed/.test(upload.status);
  return (
    <div className="upload">
      <Thumbnail upload={upload} />
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
        ) : failed ? (
          <span className="cut tone-bad upload-problem" title={upload.classification_error ?? ""}>
            {reason(upload.classification_error ?? "")}
          </span>
        ) : (
          <Found upload={upload} />
        )}
      </div>
      <div className="upload-end">
        {failed && <RetryButton id={upload.workflow_run_id} name={upload.name} />}
        <State status={upload.status} />
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

// Small, drawn by the server, for PDFs as well; the picture itself where the server cannot draw.
function Thumbnail({ upload }: { upload: Upload }) {
  const [tried, setTried] = useState(0);
  const calm = useCalm();
  const file = `/api/files/${encodeURIComponent(upload.file_id)}`;
  const sources = [`${file}/pages/1?side=96`];
  if (upload.content_type.startsWith("image/")) sources.push(`${file}/content`);
  const source = sources[tried];
  return (
    <div className="thumb" aria-hidden="true">
      {!calm ? null : source ? (
        <FileImage path={source} alt="" width={44} height={44} loading="lazy" onError={() => setTried(tried + 1)} />
      ) : (
        <Icon name={kindOf(upload.workflow_type)?.icon ?? "documents"} size={22} />
      )}
    </div>
  );
}
