// review_view.tsx — what needs a person, one paper after the other: look, correct, approve, next; by keyboard if one likes.
import "./review.css";
import { useEffect, useRef } from "react";
import { request } from "../../api/client";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Empty, FailedPlacard, Loading } from "../../parts/placards";
import { lettersAreOn } from "../../shell/keys";
import { useResource } from "../../state/resource";
import { useWord } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { approveWithUndo, type PaperKind } from "../receipts/judge";
import type { Loose } from "../receipts/paper";
import PaperView from "../receipts/paper_view";

interface Queue {
  papers: Loose[];
  total: number;
}
const kindOf = (row: Loose): PaperKind => (row.workflow_type === "invoice" ? "invoice" : "receipt");

export default function ReviewView() {
  useTitle(text.review.title);
  const told = useResource("review", () => request("GET /api/review", { query: { limit: 200 } }) as Promise<Queue>, 10_000);
  const [chosen, choose] = useWord("paper");
  const papers = told.value?.papers ?? [];
  const found = papers.findIndex((row) => row.file_id === chosen);
  // One that was just approved is gone from the list: its place is where to go on.
  const place = useRef(0);
  if (found >= 0) place.current = found;
  const at = found >= 0 ? found : Math.min(place.current, papers.length - 1);
  const row = papers[at];
  const to = (index: number) => papers.length > 0 && choose(String(papers[(index + papers.length) % papers.length]?.file_id));
  const busy = useRef(false);
  const approve = async () => {
    if (!row || busy.current) return;
    busy.current = true;
    const next = papers[at + 1] ?? papers[at - 1];
    if (await approveWithUndo(kindOf(row), String(row.file_id))) {
      told.reload();
      if (next) choose(String(next.file_id));
    }
    busy.current = false;
  };
  const keys = useRef<Record<string, () => void>>({});
  keys.current = { a: () => void approve(), n: () => to(at + 1), p: () => to(at - 1) };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !lettersAreOn()) return;
      if ((target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) || document.querySelector("dialog[open]")) return;
      const act = keys.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (!told.value) return told.failure ? <FailedPlacard failure={told.failure} again={told.reload} whole /> : <Loading title={text.review.title} />;
  if (!row)
    return (
      <Empty icon="done" title={text.review.empty} whole>
        <p>{text.review.emptyAdvice}</p>
        <Link href="/receipts">{text.papers.title}</Link>
      </Empty>
    );
  return (
    <div className="review">
      <div className="review-bar card" role="region" aria-label={text.review.title}>
        <b role="status">{text.review.place(at + 1, told.value.total)}</b>
        <span className="grow" />
        <button className="button" onClick={() => to(at - 1)} aria-keyshortcuts="p" disabled={papers.length < 2}>
          <Icon name="back" size={16} /> {text.review.previous} <kbd className="wide-only">p</kbd>
        </button>
        <button className="button" onClick={() => to(at + 1)} aria-keyshortcuts="n" disabled={papers.length < 2}>
          {text.review.next} <kbd className="wide-only">n</kbd> <Icon name="right" size={16} />
        </button>
        <button className="button primary" onClick={() => void approve()} aria-keyshortcuts="a">
          <Icon name="done" size={16} /> {text.review.approve} <kbd className="wide-only">a</kbd>
        </button>
      </div>
      <PaperView key={String(row.file_id)} kind={kindOf(row)} id={String(row.file_id)} inQueue />
    </div>
  );
}
