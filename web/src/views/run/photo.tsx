// photo.tsx — a photo beside what the model saw in it: the result of its run, for people.
import { useState } from "react";
import { FileImage } from "../../parts/file_image";
import { share } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { isOver } from "../../parts/state";
import { text } from "../../text";
import type { Run } from "./timeline_model";

interface Label {
  label: string;
  score: number;
}
function labelsOf(result: unknown): Label[] {
  const labels = typeof result === "object" && result !== null ? (result as { labels?: unknown }).labels : null;
  return Array.isArray(labels) ? labels.filter((one): one is Label => typeof one?.label === "string" && typeof one?.score === "number") : [];
}

export function Photo({ run }: { run: Run }) {
  if (run.workflow_key !== "IMAGE_CLASSIFICATION" || run.file_id === null) return null;
  const labels = labelsOf(run.result);
  const words = text.run.photo;
  return (
    <section className="card photo" aria-label={words.title}>
      <Picture file={run.file_id} />
      <div className="photo-labels">
        <h2>{words.title}</h2>
        {labels.length === 0 ? (
          <p className="muted">{isOver(run.status) ? words.none : words.soon}</p>
        ) : (
          <ol>
            {labels.map((one) => (
              <li key={one.label}>
                <span className="cut">{one.label}</span>
                <span className="photo-bar" aria-hidden="true">
                  <i style={{ width: `${Math.round(one.score * 100)}%` }} />
                </span>
                <span className="number muted">{share(one.score)}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}

// As the server draws it; the file itself where it cannot; a sign where nobody can.
function Picture({ file }: { file: string }) {
  const [tried, setTried] = useState(0);
  const path = `/api/files/${encodeURIComponent(file)}`;
  const source = [`${path}/pages/1?side=480`, `${path}/content`][tried];
  return <div className="photo-picture">{source ? <FileImage path={source} alt={text.run.photo.alt} onError={() => setTried(tried + 1)} /> : <Icon name="photo" size={30} />}</div>;
}
