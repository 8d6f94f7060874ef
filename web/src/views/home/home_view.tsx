// home_view.tsx — the first page: give a file, and see what becomes of all of them.
import "./home.css";
import { useCallback, useEffect, useState } from "react";
import { call } from "../../api/client";
import { useNow } from "../../parts/clock";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { isOver } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { usePages } from "../../state/pages";
import { useWord } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { DropZone } from "./drop_zone";
import { FetchList } from "./fetches";
import { kinds } from "./kinds";
import { onArrival } from "./sending";
import { SendingList } from "./sending_list";
import { UploadRow, type Upload } from "./upload_row";

const kPage = 100;
const kLaterPage = 200; // whoever scrolls on wants many
const idOf = (upload: Upload) => upload.file_id;

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
  const sought = useSettled(search);
  const load = useCallback(
    async (cursor: string | null) => {
      const told = await call("GET /api/uploads", {
        query: { limit: cursor === null ? kPage : kLaterPage, cursor: cursor ?? undefined, q: sought, workflow_type: type, state },
      });
      return { rows: told.uploads, next: told.next_cursor };
    },
    [sought, type, state],
  );
  const [active, setActive] = useState(false);
  const [listed, list] = usePages(`${sought}|${type}|${state}`, load, idOf, active ? 1500 : 15_000);
  useEffect(() => onArrival(() => list.ring()), [list]);
  useEffect(() => setActive(listed.rows.slice(0, 200).some((row) => !isOver(row.status))), [listed]);
  const now = useNow(10_000, true);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  const filtered = Boolean(sought || type || state);

  return (
    <section className="card uploads" aria-label={text.home.list}>
      <div className="toolbar uploads-bar">
        <h2 className="grow">{text.home.list}</h2>
        <input className="field search" type="search" placeholder={text.home.search} aria-label={text.home.search} value={search} onChange={(event) => setSearch(event.target.value)} />
        <select className="field" aria-label={text.home.kind} value={type} onChange={(event) => setType(event.target.value)}>
          <option value="">{text.home.everyKind}</option>
          {kinds.map((kind) => (
            <option key={kind.type} value={kind.type}>
              {kind.word}
            </option>
          ))}
        </select>
        <select className="field" aria-label={text.home.state} value={state} onChange={(event) => setState(event.target.value)}>
          <option value="">{text.home.everyState}</option>
          {Object.entries(text.home.states).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </div>
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
              onClick={() => {
                setSearch("");
                setType("");
                setState("");
              }}
            >
              {text.home.showAll}
            </button>
          </Empty>
        ) : (
          <Empty icon="uploads" title={text.home.empty}>
            {text.home.emptyAdvice}
          </Empty>
        )
      ) : (
        <div className="uploads-rows">
          <VirtualList rows={listed.rows} height={64} idOf={idOf} label={text.home.list} onSee={see}>
            {(upload) => <UploadRow upload={upload} now={now} />}
          </VirtualList>
        </div>
      )}
    </section>
  );
}
