// document_view.tsx — one web page as it was read: its text, what it is about, where it leads and what leads to it.
import "./documents.css";
import { useState } from "react";
import { asFailure, call } from "../../api/client";
import { bytes, date, time } from "../../parts/format";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Empty, FailedPlacard, Loading, failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { go } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { kindOfDocument, languageName, stateOf } from "./document_state";
import { Away, Markdown } from "./markdown";

export default function DocumentView({ id }: { id: string }) {
  const told = useResource(`document ${id}`, () => call("GET /api/documents/{id}", { path: { id } }));
  const page = told.value;
  useTitle(page?.title || page?.url || text.documents.title);
  if (!page) return told.failure ? <FailedPlacard failure={told.failure} again={told.reload} whole /> : <Loading title={text.nav.documents} />;
  const refetch = async () => {
    try {
      await call("POST /api/documents", { body: { url: page.url, index: true, refetch: true }, once: true });
      toast(text.home.fetching);
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <p className="small">
            <Link href="/documents" className="muted">
              {text.nav.documents}
            </Link>
          </p>
          <h1>{page.title || page.url}</h1>
          <p className="small document-address">
            <Away href={page.url}>{page.url}</Away>
          </p>
        </div>
        <div className="row wrap">
          <State status={stateOf(page.status)} />
          <button className="button" onClick={() => void refetch()}>
            <Icon name="retry" size={16} /> {text.documents.refetch}
          </button>
          <Remove id={id} title={page.title || page.url} />
          {page.workflow_run_id && (
            <Link className="button" href={`/runs/${encodeURIComponent(page.workflow_run_id)}`}>
              <Icon name="runs" size={16} /> {text.documents.run}
            </Link>
          )}
        </div>
      </header>
      {page.error && <p className="notice tone-bad">{page.error}</p>}
      <div className="document-body">
        <article className="card panel" lang={page.language ?? undefined}>
          {page.markdown ? <Markdown source={withoutTitle(page.markdown, page.title)} /> : <Empty icon="documents" title={text.documents.noText} />}
        </article>
        <aside className="document-side">
          <Tags key={page.tags.join("\n")} id={id} tags={page.tags} />
          <section className="card panel">
            <h2>{text.documents.about}</h2>
            <dl className="facts">
              {facts(page).map(([name, value]) => (
                <div key={name} className="fact">
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {page.topics.length > 0 && (
              <p className="chips">
                {page.topics.map((topic) => (
                  <span className="chip" key={topic}>
                    {topic}
                  </span>
                ))}
              </p>
            )}
            {page.entities.length > 0 && (
              <>
                <h3>{text.documents.names}</h3>
                <ul className="chips">
                  {page.entities.slice(0, 20).map((one) => (
                    <li className="chip" key={`${one.type} ${one.name}`} title={one.quote}>
                      {one.name} <span className="muted">{one.mentions}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </section>
          <Links id={id} direction="inbound" />
          <Links id={id} direction="outbound" />
        </aside>
      </div>
    </div>
  );
}

function Remove({ id, title }: { id: string; title: string }) {
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    setAsking(false);
    try {
      await call("DELETE /api/documents/{id}", { path: { id } });
      toast(text.bulk.deleted(1));
      go("/documents", true);
      refreshWhere((key) => !key.startsWith("document "));
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <>
      <button className="button bad" onClick={() => setAsking(true)}>
        <Icon name="trash" size={16} /> {text.bulk.delete}
      </button>
      {asking && (
        <Dialog title={text.documents.askDelete(1)} submit={text.bulk.delete} bad onSubmit={() => void remove()} onClose={() => setAsking(false)}>
          <p>{title}</p>
          <p className="muted">{text.bulk.forGood}</p>
        </Dialog>
      )}
    </>
  );
}

// What people call it: a click takes a tag away, with a way back.
function Tags({ id, tags }: { id: string; tags: string[] }) {
  const [typed, setTyped] = useState("");
  const set = async (next: string[], undo?: string[]) => {
    try {
      await call("PATCH /api/documents/{id}", { path: { id }, body: { tags: next } });
      if (undo) toast(text.documents.untagged, { word: text.undo, act: () => void set(undo) });
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <section className="card panel" aria-label={text.documents.tags}>
      <h2>{text.documents.tags}</h2>
      {tags.length > 0 && (
        <ul className="chips">
          {tags.map((tag) => (
            <li className="chip chip-tag" key={tag}>
              <Link href={`/documents?tag=${encodeURIComponent(tag)}`}>{tag}</Link>
              <button className="chip-end" aria-label={text.documents.removeTag(tag)} onClick={() => void set(tags.filter((one) => one !== tag), tags)}>
                <Icon name="close" size={11} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void set([...new Set([...tags, typed.trim()])]).then(() => setTyped(""));
        }}
      >
        <input className="field" required maxLength={60} aria-label={text.documents.newTag} placeholder={text.documents.newTag} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <button className="button small">{text.documents.addTag}</button>
      </form>
    </section>
  );
}

// A page that begins with its own title would say it twice.
function withoutTitle(markdown: string, title: string | null): string {
  const first = /^\s*#\s+(.*)\n?/.exec(markdown);
  return first && first[1]?.trim() === title?.trim() ? markdown.slice(first[0].length) : markdown;
}

type Page = Awaited<ReturnType<typeof loaded>>;
const loaded = (id: string) => call("GET /api/documents/{id}", { path: { id } });

function facts(page: Page): [string, string][] {
  const words = text.documents;
  const all: [string, string | null | undefined][] = [
    [words.author, page.author],
    [words.published, page.date && date(page.date)],
    [words.site, page.site],
    [words.language, page.language && languageName(page.language)],
    [words.type, page.content_type && kindOfDocument(page.content_type)],
    [words.size, page.content_length === null ? null : bytes(page.content_length)],
    [words.fetched, page.fetched_at && time(page.fetched_at)],
  ];
  return all.filter((one): one is [string, string] => Boolean(one[1]));
}

function Links({ id, direction }: { id: string; direction: "inbound" | "outbound" }) {
  const told = useResource(`links ${id} ${direction}`, () => call("GET /api/documents/{id}/links", { path: { id }, query: { direction, limit: 500 } }));
  const links = told.value?.links ?? [];
  return (
    <section className="card panel">
      <h2>
        {text.documents[direction]} <span className="muted">{told.value ? links.length : ""}</span>
      </h2>
      {told.failure && <p className="muted small">{failureLine(told.failure)}</p>}
      {told.value && links.length === 0 && <p className="muted small">{text.documents.noLinks}</p>}
      <ul className="link-list" tabIndex={links.length > 8 ? 0 : undefined}>
        {links.map((link, at) => (
          <li key={`${link.url} ${at}`} className="cut">
            {link.document_id ? (
              <Link href={`/documents/${encodeURIComponent(link.document_id)}`}>{link.title || link.anchor_text || link.url}</Link>
            ) : (
              <Away href={link.url}>{link.anchor_text || link.url}</Away>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
