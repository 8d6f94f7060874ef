// runs_view.tsx — every run, newest first; filtered by state, workflow and id.
import "./run.css";
import { useCallback } from "react";
import { call, type Answer } from "../../api/client";
import { BulkBar, filesOf, SelectBox, useSelection, type BulkAction } from "../../parts/bulk";
import { useNow } from "../../parts/clock";
import { Choice, FilterBar, momentsOf, useDays } from "../../parts/filters";
import { duration, reason, since, time } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State, isOver, runStates } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { everyRow, usePages } from "../../state/pages";
import { useResource } from "../../state/resource";
import { useWord, useWords } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { RetryButton } from "./actions";
import { kindName, useRunName } from "./run_name";

type Row = Answer<"GET /api/runs">["runs"][number];
const idOf = (run: Row) => run.id;

const kColumns = ["id", "workflow_key", "status", "current_stage", "file_id", "created_at", "started_at", "completed_at", "attempts", "error", "parent_id", "forked_from"];
const ask = (verb: "retry" | "cancel") => (run: Row) => call(`POST /api/runs/{id}/${verb}`, { path: { id: run.id }, body: {} as never, once: true });
const actions: BulkAction<Row>[] = [
  { word: text.run.verbs.retry, icon: "retry", fits: (run) => run.status === "failed" || run.status === "canceled", act: ask("retry"), did: text.bulk.retried },
  { word: text.run.verbs.cancel, icon: "stop", bad: true, fits: (run) => !isOver(run.status), act: ask("cancel"), undo: ask("retry"), ask: text.bulk.askCancel, did: text.bulk.canceled },
];

export default function RunsView() {
  useTitle(text.nav.runs);
  const [search, setSearch] = useWord("q");
  const sought = useSettled(search);
  const [status, setStatus] = useWord("status");
  const [workflow, setWorkflow] = useWord("workflow");
  const [label, setLabel] = useWord("label");
  const { from, to } = useDays();
  const setWords = useWords();
  const load = useCallback(
    async (cursor: string | null) => {
      const told = await call("GET /api/runs", { query: { limit: 100, cursor: cursor ?? undefined, q: sought, state: status, workflow_key: workflow, label: label || undefined, ...momentsOf({ from, to }) } });
      return { rows: told.runs, next: told.next_cursor, total: told.total };
    },
    [sought, status, workflow, label, from, to],
  );
  const [listed, list] = usePages(`${sought}|${status}|${workflow}|${label}|${from}|${to}`, load, idOf, 3000);
  const kinds = useResource("workflows", async () => (await call("GET /api/workflows")).workflows);
  const filtered = Boolean(sought || status || workflow || label || from || to);
  const now = useNow(5000, true);
  const selection = useSelection(idOf);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.runs.title}</h1>
          <p className="muted">{text.runs.advice}</p>
        </div>
      </header>
      <section className="card">
        <FilterBar hint={text.runs.search} search={search} onSearch={setSearch} total={listed.total} count={text.runs.count}>
          <Choice label={text.runs.status} all={text.home.everyState} value={status} options={runStates.map((one) => [one, text.states[one]])} onChange={setStatus} />
          <Choice label={text.runs.workflow} all={text.runs.everyWorkflow} value={workflow} options={[...new Set([...(kinds.value ?? []).map((one) => one.key), ...(workflow ? [workflow] : [])])].map((key) => [key, kindName(key)])} onChange={setWorkflow} />
          {label && (
            <button className="button" onClick={() => setLabel("")}>
              {label} ×
            </button>
          )}
        </FilterBar>
        <BulkBar
          selection={selection}
          total={listed.total}
          all={() => everyRow(load)}
          actions={actions}
          exports={filesOf("runs", kColumns)}
        />
        {listed.failure && listed.rows.length === 0 ? (
          <FailedPlacard failure={listed.failure} again={() => list.ring()} />
        ) : listed.first ? (
          <div className="list-rows">
            <Bones rows={8} height={52} />
          </div>
        ) : listed.rows.length === 0 ? (
          <Empty icon={filtered ? "search" : "runs"} title={text.runs.empty}>
            {filtered ? (
              <button className="button" onClick={() => setWords({ q: "", status: "", workflow: "", label: "", from: "", to: "" })}>
                {text.runs.showAll}
              </button>
            ) : (
              text.runs.emptyAdvice
            )}
          </Empty>
        ) : (
          <div className="list-rows">
            <VirtualList rows={listed.rows} height={52} idOf={idOf} label={text.runs.title} onSee={see}>
              {(run) => (
                <div className="upload-line">
                  <SelectBox chosen={selection.has(run.id)} name={run.id} onToggle={() => selection.toggle(run)} />
                  <RunRow run={run} now={now} />
                </div>
              )}
            </VirtualList>
          </div>
        )}
      </section>
    </div>
  );
}

function RunRow({ run, now }: { run: Row; now: number }) {
  const name = useRunName(run);
  const started = Date.parse(run.started_at ?? run.created_at);
  const lasted = duration(Math.max(0, (run.completed_at ? Date.parse(run.completed_at) : now) - started));
  return (
    <div className="run-row">
      <div className="grow run-row-name">
        <Link className="row-link cut" href={`/runs/${encodeURIComponent(run.id)}`}>
          {name}
        </Link>
        <span className="muted small cut">
          {kindName(run.workflow_key) === name ? "" : `${kindName(run.workflow_key)} · `}
          <span className="mono">{run.id}</span>
        </span>
      </div>
      <span className="cut run-row-stage muted">{run.error ? <span className="tone-bad run-row-error" title={run.error.message}>{reason(run.error.message)}</span> : run.status === "succeeded" ? "" : run.current_stage}</span>
      <span className="number muted run-row-time" title={`${time(run.created_at)} · ${text.runs.lasted(lasted)}`}>
        {since(run.created_at, now)} · {lasted}
      </span>
      <span className="row run-row-end">
        {(run.status === "failed" || run.status === "canceled") && <RetryButton id={run.id} name={name} />}
        <State status={run.stalled ? "stalled" : run.state} />
      </span>
    </div>
  );
}
