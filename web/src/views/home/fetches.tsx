// fetches.tsx — web addresses that were given here: how far each is, and where its text is when it is read.
import { useSyncExternalStore } from "react";
import { call, type Answer } from "../../api/client";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { State, isOver } from "../../parts/state";
import { useResource } from "../../state/resource";
import { text } from "../../text";

export type Fetch = Answer<"POST /api/documents">;

const kKeptMax = 5;
let all: Fetch[] = [];
const watchers = new Set<() => void>();
function change(next: Fetch[]): void {
  all = next;
  for (const watcher of watchers) watcher();
}
export function noteFetch(one: Fetch): void {
  change([one, ...all.filter((other) => other.document_id !== one.document_id)].slice(0, kKeptMax));
}

export function FetchList() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => all,
  );
  if (shown.length === 0) return null;
  return (
    <ul className="sendings" aria-label={text.home.fetches} aria-live="polite">
      {shown.map((one) => (
        <FetchRow key={one.document_id} one={one} />
      ))}
    </ul>
  );
}

function FetchRow({ one }: { one: Fetch }) {
  const run = useResource(`run ${one.workflow_run_id}`, () => call("GET /api/runs/{id}", { path: { id: one.workflow_run_id } }), 1500);
  const status = run.value?.status ?? "queued";
  const done = status === "succeeded";
  return (
    <li className="sending card">
      <Icon name="web" />
      <div className="grow">
        <p className="cut">{one.url}</p>
        <p className="small muted cut">
          {done ? <Link href={`/documents/${encodeURIComponent(one.document_id)}`}>{text.home.readIt}</Link> : <Link href={`/runs/${encodeURIComponent(one.workflow_run_id)}`}>{isOver(status) ? text.home.seeWhy : text.home.watchIt}</Link>}
        </p>
      </div>
      <State status={status} />
      <button className="button bare small" onClick={() => change(all.filter((other) => other !== one))} aria-label={text.home.stop(one.url)}>
        <Icon name="close" size={15} />
      </button>
    </li>
  );
}
