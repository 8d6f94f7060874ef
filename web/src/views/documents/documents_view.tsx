// documents_view.tsx — web pages that were read: the newest, or the best for a question.
import "./documents.css";
import { useCallback, useEffect, useState, type FormEvent } from "react";
import { call, type Answer } from "../../api/client";
import { BulkBar, SelectBox, filesOf, forEach, useSelection, type BulkAction } from "../../parts/bulk";
import { Dialog } from "../../parts/dialog";
import { Choice, FilterBar } from "../../parts/filters";
import { useNow } from "../../parts/clock";
import { share, since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { VirtualList } from "../../parts/virtual_list";
import { everyRow, usePages } from "../../state/pages";
import { useResource } from "../../state/resource";
import { useWord, useWords } from "../../state/router";
import { useSettled } from "../../state/settled";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { kindOfDocument, languageName, stateOf } from "./document_state";

type Row = Answer<"GET /api/documents">["documents"][number];
type Hit = Answer<"GET /api/search">["results"][number];
const idOf = (row: Row) => row.id;

export default function DocumentsView() {
  useTitle(text.documents.title);
  const [query, setQuery] = useWord("q");
  const [typed, setTyped] = useState(query);
  useEffect(() => setTyped(query), [query]);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setQuery(typed.trim());
  };
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.documents.title}</h1>
          <p className="muted">{text.documents.advice}</p>
        </div>
        <AddForm />
      </header>
      <form className="row" role="search" onSubmit={ask}>
        <input className="field search-big" type="search" aria-label={text.documents.search} placeholder={text.documents.search} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <button className="button primary">
          <Icon name="search" size={16} /> {text.documents.find}
        </button>
      </form>
      {query ? <Results query={query} clear={() => setQuery("")} /> : <List />}
    </div>
  );
}

// One address, or many at once: one a line.
function AddForm() {
  const [typed, setTyped] = useState("");
  const [many, setMany] = useState(false);
  const [busy, setBusy] = useState(false);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const urls = [...new Set(typed.split(/\s+/).filter(Boolean))].map((url) => (/^\w+:\/\//.test(url) ? url : `https://${url}`));
    setBusy(true);
    const { done, failed, problem } = await forEach(urls, (url) => call("POST /api/documents", { body: { url, index: true }, once: true }));
    setBusy(false);
    if (failed === 0) setTyped("");
    toast(failed > 0 ? `${text.documents.fetchingMany(done.length)} ${text.bulk.failed(failed)} ${problem}` : done.length > 1 ? text.documents.fetchingMany(done.length) : text.home.fetching);
  };
  return (
    <form className="row add-form" onSubmit={(event) => void add(event)}>
      {many ? (
        <textarea className="field" required rows={5} aria-label={text.documents.addresses} placeholder={"https://…\nhttps://…"} value={typed} onChange={(event) => setTyped(event.target.value)} />
      ) : (
        <input className="field" inputMode="url" required aria-label={text.documents.address} placeholder="https://…" value={typed} onChange={(event) => setTyped(event.target.value)} />
      )}
      <button className="button" disabled={busy}>
        {text.home.fetch}
      </button>
      <button type="button" className="button bare small" aria-pressed={many} onClick={() => setMany(!many)}>
        {text.documents.many}
      </button>
    </form>
  );
}

const kStatuses = { FETCHED: "done", NOT_FETCHED: "running", ERROR: "failed" } as const;
const kColumns = ["id", "url", "status", "title", "author", "date", "site", "language", "content_type", "content_length", "tags", "fetched_at", "created_at", "error"];
const actions: BulkAction<Row>[] = [
  { word: text.documents.refetch, icon: "retry", fits: () => true, act: (row) => call("POST /api/documents", { body: { url: row.url, index: true, refetch: true }, once: true }), did: text.documents.fetchingMany },
  { word: text.bulk.delete, icon: "trash", bad: true, fits: () => true, act: (row) => call("DELETE /api/documents/{id}", { path: { id: row.id } }), ask: text.documents.askDelete, did: text.bulk.deleted },
];

function List() {
  const [search, setSearch] = useWord("find");
  const sought = useSettled(search);
  const [status, setStatus] = useWord("status");
  const [kind, setKind] = useWord("kind");
  const [tag, setTag] = useWord("tag");
  const [speech, setSpeech] = useWord("language");
  const setWords = useWords();
  const load = useCallback(
    async (cursor: string | null) => {
      const told = await call("GET /api/documents", { query: { limit: 100, cursor: cursor ?? undefined, status, content_type: kind, tag, language: speech, q: sought } as never });
      return { rows: told.documents, next: told.next_cursor, total: told.total };
    },
    [status, kind, tag, speech, sought],
  );
  const [listed, list] = usePages(`documents|${status}|${kind}|${tag}|${speech}|${sought}`, load, idOf, 5000);
  const tags = useResource("tags", async () => (await call("GET /api/document-tags")).tags, 30_000, 2000).value ?? [];
  const now = useNow(10_000, true);
  const see = useCallback((first: number, last: number) => list.see(first, last), [list]);
  const selection = useSelection(idOf);
  const [tagging, setTagging] = useState(false);
  const filtered = Boolean(status || kind || tag || speech || sought);
  const languages = [...new Set([...listed.rows.slice(0, 200).map((row) => row.language ?? ""), speech].filter(Boolean))].sort();
  if (listed.failure && listed.rows.length === 0) return <FailedPlacard failure={listed.failure} again={() => list.ring()} />;
  return (
    <section className="card document-list" aria-label={text.documents.title}>
      <FilterBar hint={text.documents.filter} search={search} onSearch={setSearch} days={false} total={listed.total} count={text.documents.count}>
        <Choice label={text.home.state} all={text.home.everyState} value={status} options={Object.entries(kStatuses).map(([value, word]) => [value, text.states[word]])} onChange={setStatus} />
        <Choice label={text.home.kind} all={text.home.everyKind} value={kind} options={Object.entries(text.documents.kinds)} onChange={setKind} />
        {(tags.length > 0 || tag) && <Choice label={text.documents.tag} all={text.documents.everyTag} value={tag} options={[...new Set([...tags.map((one) => one.tag), ...(tag ? [tag] : [])])].map((one) => [one, one])} onChange={setTag} />}
        {languages.length > 1 && <Choice label={text.documents.language} all={text.documents.everyLanguage} value={speech} options={languages.map((one) => [one, languageName(one)])} onChange={setSpeech} />}
      </FilterBar>
      <BulkBar
        selection={selection}
        total={listed.total}
        all={() => everyRow(load)}
        actions={actions}
        exports={[{ word: text.documents.tagThem, save: () => setTagging(true) }, ...filesOf<Row>("documents", kColumns)]}
      />
      {tagging && <TagDialog rows={[...selection.rows.values()]} known={tags.map((one) => one.tag)} onClose={() => setTagging(false)} onDone={() => selection.set([])} />}
      <div className="list-rows">
        {listed.first ? (
          <Bones rows={6} height={64} />
        ) : listed.rows.length === 0 ? (
          filtered ? (
            <Empty icon="search" title={text.documents.nothing}>
              <button className="button" onClick={() => setWords({ find: "", status: "", kind: "", tag: "", language: "" })}>
                {text.documents.all}
              </button>
            </Empty>
          ) : (
            <Empty icon="documents" title={text.documents.empty}>
              {text.documents.emptyAdvice}
            </Empty>
          )
        ) : (
          <VirtualList rows={listed.rows} height={64} idOf={idOf} label={text.documents.title} onSee={see}>
            {(row) => (
              <div className="document-row" data-chosen={selection.has(row.id) || undefined}>
                <SelectBox chosen={selection.has(row.id)} name={row.title || row.url} onToggle={() => selection.toggle(row)} />
                <div className="grow document-row-name">
                  <Link className="row-link cut" href={`/documents/${encodeURIComponent(row.id)}`}>
                    {row.title || row.url}
                  </Link>
                  <span className="muted small cut">{row.error ? <span className="tone-bad row-error">{row.error}</span> : row.url}</span>
                </div>
                {row.tags.slice(0, 3).map((one) => (
                  <span className="chip chip-tag" key={one}>
                    {one}
                  </span>
                ))}
                {row.content_type && row.content_type !== "other" && <span className="chip">{kindOfDocument(row.content_type)}</span>}
                <span className="muted small document-row-time">{since(row.fetched_at ?? row.created_at, now)}</span>
                <State status={stateOf(row.status)} />
              </div>
            )}
          </VirtualList>
        )}
      </div>
    </section>
  );
}

// One tag more for each of them.
function TagDialog({ rows, known, onClose, onDone }: { rows: Row[]; known: string[]; onClose: () => void; onDone: () => void }) {
  const [tag, setTag] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    const wanted = tag.trim();
    const { done, failed, problem } = await forEach(rows, (row) => call("PATCH /api/documents/{id}", { path: { id: row.id }, body: { tags: [...new Set([...row.tags, wanted])] } }));
    const back = (one: Row) => call("PATCH /api/documents/{id}", { path: { id: one.id }, body: { tags: one.tags } });
    toast(failed > 0 ? `${text.documents.tagged(done.length, wanted)} ${text.bulk.failed(failed)} ${problem}` : text.documents.tagged(done.length, wanted), { word: text.undo, act: () => void forEach(done, back).then((undone) => toast(text.bulk.undone(undone.done.length))) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={text.documents.tagTitle(rows.length)} submit={text.documents.tagThem} busy={busy} onSubmit={() => void submit()} onClose={onClose}>
      <label>
        {text.documents.tag}
        <input className="field" autoFocus required maxLength={60} list="known-tags" value={tag} onChange={(event) => setTag(event.target.value)} />
      </label>
      <datalist id="known-tags">
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </Dialog>
  );
}

function Results({ query, clear }: { query: string; clear: () => void }) {
  const told = useResource(`search ${query}`, () => call("GET /api/search", { query: { q: query, limit: 50 } }));
  if (told.failure && !told.value) return <FailedPlacard failure={told.failure} again={told.reload} />;
  if (!told.value) return <Bones rows={5} height={90} />;
  return (
    <section className="results" aria-label={text.documents.results(query)}>
      <div className="row">
        <h2 className="grow">
          <span role="status">{text.documents.found(told.value.results.length, query)}</span>
        </h2>
        <button className="button small" onClick={clear}>
          {text.documents.all}
        </button>
      </div>
      {told.value.warning && <p className="notice tone-doubt">{told.value.warning}</p>}
      {told.value.results.length === 0 && (
        <Empty icon="search" title={text.documents.nothing}>
          {text.documents.nothingAdvice}
        </Empty>
      )}
      <ol>
        {told.value.results.map((hit) => (
          <li key={hit.document_id} className="card hit">
            <HitRow hit={hit} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function HitRow({ hit }: { hit: Hit }) {
  return (
    <>
      <p className="row">
        <Link className="row-link grow cut" href={`/documents/${encodeURIComponent(hit.document_id)}`}>
          {hit.title || hit.url}
        </Link>
        {hit.similarity !== null && <span className="chip" title={text.documents.meaning}>≈ {share(Math.max(0, hit.similarity))}</span>}
        {hit.has_words && <span className="chip">{text.documents.words}</span>}
      </p>
      <p className="muted small cut">{hit.url}</p>
      <p>{highlighted(hit.snippet)}</p>
    </>
  );
}

// The server marks the words that were looked for with **…**.
function highlighted(snippet: string) {
  return snippet.split("**").map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}
