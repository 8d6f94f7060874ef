// home_view.tsx — the first page: give a file, and see what becomes of all of them.
import "./home.css";
import { useCallback, useEffect, useState } from "react";
import { call } from "../../api/client";
import { BulkBar, filesOf, SelectBox, useSelection, type BulkAction } from "../../parts/bulk";
import { useNow } from "../../parts/clock";
import { Choice, FilterBar, momentsOf, useDays } from "../../parts/filters";
import { Icon } from "../../parts/icon";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { isOver } from "../../parts/state";
import { useHelperWaits } from "../../state/helper";
import { VirtualList } from "../../parts/virtual_list";
import { everyRow, usePages } from "../../state/pages";
import { useWord, useWords } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { DropZone } from "./drop_zone";
import { FetchList } from "./fetches";
import { kinds, takes } from "./kinds";
import { onArrival } from "./sending";
import { addSamples, isSample, removeSamples } from "./samples";
import { SendingList } from "./sending_list";
import { readAs } from "../receipts/judge";
import { UploadRow, statusOf, type Upload } from "./upload_row";

const kPage = 100;
const kLaterPage = 200; // whoever scrolls on wants many
const idOf = (upload: Upload) => upload.file_id;
const kFewFiles = 200; // whoever has more knows what it is
const kColumns = ["file_id", "name", "workflow_type", "status", "label", "score", "r2_size", "content_type", "created_at", "completed_at", "workflow_run_id"];
const isEnded = (upload: Upload) => ["failed", "canceled"].includes(statusOf(upload));

const actions: BulkAction<Upload>[] = [
  { word: text.run.verbs.retry, icon: "retry", fits: isEnded, act: (row) => call("POST /api/runs/{id}/retry", { path: { id: row.workflow_run_id }, body: {} as never, once: true }), did: text.bulk.retried },
  { word: text.run.verbs.cancel, icon: "stop", fits: (row) => !isOver(statusOf(row)), act: (row) => call("POST /api/runs/{id}/cancel", { path: { id: row.workflow_run_id }, body: {} as never, once: true }), undo: (row) => call("POST /api/runs/{id}/retry", { path: { id: row.workflow_run_id }, body: {} as never, once: true }), did: text.bulk.canceled },
  ...kinds.map(
    (kind): BulkAction<Upload> => ({ word: text.papers.readAs(kind.word), icon: kind.icon, fits: (row) => row.workflow_type !== kind.type && takes(kind, [row.content_type]), act: (row) => readAs(row.file_id, kind.type), did: text.bulk.readAgain }),
  ),
  { word: text.bulk.delete, icon: "trash", bad: true, fits: () => true, act: (row) => call("DELETE /api/files/{id}", { path: { id: row.file_id } }), ask: text.bulk.askDelete, did: text.bulk.deleted },
];

// For a first look: papers of ours, one click.
function TrySamples() {
  const [busy, setBusy] = useState(false);
  return (
    <>
      <button
        className="button primary"
        disabled={busy}
        onClick={() => {
          setBusy(true);
          void addSamples().then(() => setBusy(false));
        }}
      >
        <Icon name="play" size={16} /> {text.samples.add}
      </button>
      <p className="small">{text.samples.advice}</p>
    </>
  );
}

export function HomeView() {
  useTitle(text.nav.uploads);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.home.title}</h1>
          <p className="muted">{text.home.advice}</p>
        </div>
      </header>
      <DropZone />
      <SendingList />
      <FetchList />
      <Uploads />
    </div>
  );
}

function Uploads() {
  const [search, setSearch] = useWord("q");
  const [type, setType] = useWord("type");
  const [state, setState] = useWord("state");
  const { from, to } = useDays();
  const setWords = useWords();
  const sought = useSettled(search);
  const load = useCallback(
    async (cursor: string | null) => {
      const told = await call("GET /api/uploads", {
        query: { limit: cursor === null ? kPage : kLaterPage, cursor: cursor ?? undefined, q: sought, workflow_type: type, state, ...momentsOf({ from, to }) },
      });
      return { rows: told.uploads, next: told.next_cursor, total: told.total };
    },
    [sought, type, state, from, to],
  );
  const [active, setActive] = useState(false);
  const [listed, list] = usePages(`${sought}|${type}|${state}|${from}|${to}`, load, idOf, active ? 1500 : 15_000);
  useEffect(() => onArrival(() => list.ring()), [list]);
  useEffect(() => setActive(listed.rows.slice(0, 200).some((row) => !isOver(row.status))), [listed]);
  const now = useNow(10_000, true);
  const waits = useHelperWaits(active);
  const selection = useSelection(idOf);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  const filtered = Boolean(sought || type || state || from || to);

  return (
    <section className="card uploads" aria-label={text.home.list}>
      <FilterBar
        at="uploads-bar"
        head={<h2>{text.home.list}</h2>}
        hint={text.home.search}
        search={search}
        onSearch={setSearch}
        total={listed.total}
        count={text.home.count}
        more={
          listed.rows.length > 0 &&
          listed.rows.length < kFewFiles &&
          listed.rows.some(isSample) && (
            <button className="button small" onClick={() => void removeSamples().then(() => list.ring())}>
              <Icon name="trash" size={15} /> {text.samples.remove}
            </button>
          )
        }
      >
        <Choice label={text.home.kind} all={text.home.everyKind} value={type} options={kinds.map((kind) => [kind.type, kind.word])} onChange={setType} />
        <Choice label={text.home.state} all={text.home.everyState} value={state} options={Object.entries(text.home.states)} onChange={setState} />
      </FilterBar>
      <BulkBar
        selection={selection}
        total={listed.total}
        all={() => everyRow(load)}
        actions={actions}
        exports={filesOf("files", kColumns)}
      />
      {listed.failure && listed.rows.length === 0 ? (
        <FailedPlacard failure={listed.failure} again={() => list.ring()} />
      ) : listed.first ? (
        <div className="uploads-rows">
          <Bones rows={6} height={64} />
        </div>
      ) : listed.rows.length === 0 ? (
        filtered ? (
          <Empty icon="search" title={text.home.nothingFound}>
            <button
              className="button"
              onClick={() => setWords({ q: "", type: "", state: "", from: "", to: "" })}
            >
              {text.home.showAll}
            </button>
          </Empty>
        ) : (
          <Empty icon="uploads" title={text.home.empty}>
            <p>{text.home.emptyAdvice}</p>
            <TrySamples />
          </Empty>
        )
      ) : (
        <div className="uploads-rows">
          <VirtualList rows={listed.rows} height={64} idOf={idOf} label={text.home.list} onSee={see}>
            {(upload) => (
              <div className="upload-line">
                <SelectBox chosen={selection.has(upload.file_id)} name={upload.name} onToggle={() => selection.toggle(upload)} />
                <UploadRow upload={upload} now={now} waits={waits.runs} />
              </div>
            )}
          </VirtualList>
        </div>
      )}
    </section>
  );
}
