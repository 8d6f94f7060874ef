// placards.tsx — what a view shows when it has nothing else to show: loading, empty, failed, not there.
import type { ReactNode } from "react";
import type { Failure } from "../api/client";
import { text } from "../text";
import { Icon, type IconName } from "./icon";

// `whole`: it is all that the view shows, so its title is the view's.
export function Empty({ icon, title, whole = false, children }: { icon: IconName; title: string; whole?: boolean; children?: ReactNode }) {
  const Heading = whole ? "h1" : "h2";
  return (
    <div className="placard">
      <Icon name={icon} size={30} />
      <Heading>{title}</Heading>
      {children && <div className="muted">{children}</div>}
    </div>
  );
}

// Grey shapes where rows will be, of the same height, so that nothing moves when they come.
export function Bones({ rows = 6, height = 60 }: { rows?: number; height?: number }) {
  return (
    <div aria-busy="true" aria-label={text.loading} role="status">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} style={{ height, padding: "10px 0" }}>
          <div className="bone" style={{ height: "100%", width: `${92 - ((index * 13) % 30)}%` }} />
        </div>
      ))}
    </div>
  );
}

// A view that is still coming: its title stands where it will stand, so that a screen reader hears where it is.
export function Loading({ title, rows = 8, height = 44 }: { title: string; rows?: number; height?: number }) {
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1 className="muted">{title}</h1>
        </div>
      </header>
      <Bones rows={rows} height={height} />
    </div>
  );
}

export function FailedPlacard({ failure, again, whole = false }: { failure: Failure; again?: () => void; whole?: boolean }) {
  const { title, advice, icon } = explain(failure);
  const Heading = whole ? "h1" : "h2";
  return (
    <div className="placard" role="alert">
      <Icon name={icon} size={30} />
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {failure.message && failure.kind !== "missing" && <p className="mono small">{failure.message}</p>}
      {failure.request && <p className="small muted">{text.failures.request(failure.request)}</p>}
      {again && failure.kind !== "missing" && (
        <button className="button" onClick={again}>
          <Icon name="retry" /> {text.again}
        </button>
      )}
    </div>
  );
}

function explain(failure: Failure): { title: string; advice: string; icon: IconName } {
  const words = text.failures;
  switch (failure.kind) {
    case "missing":
      return { title: words.missing, advice: words.missingAdvice, icon: "plug" };
    case "not_found":
      return { title: words.notFound, advice: words.notFoundAdvice, icon: "search" };
    case "offline":
      return { title: words.offline, advice: words.offlineAdvice, icon: "plug" };
    case "token":
      return { title: words.token, advice: words.tokenAdvice, icon: "key" };
    case "busy":
      return { title: words.busy, advice: words.busyAdvice, icon: "wait" };
    default:
      return { title: words.failed, advice: words.failedAdvice, icon: "doubt" };
  }
}
// One line, for a place that has something else to show.
export function failureLine(failure: Failure): string {
  const { title } = explain(failure);
  return failure.message ? `${title}: ${failure.message}` : title;
}
