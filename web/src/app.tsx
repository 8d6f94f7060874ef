// app.tsx — the frame of every view: where one can go, whether we hear the server, and what the address names.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { call, request } from "./api/client";
import { live } from "./live/connection";
import { useNow } from "./parts/clock";
import { count } from "./parts/format";
import { Icon, Logo } from "./parts/icon";
import { Link } from "./parts/link";
import { Empty } from "./parts/placards";
import { Toasts } from "./parts/toasts";
import { nextTheme, theme } from "./parts/theme";
import { loadAhead } from "./shell/ahead";
import { Boundary } from "./shell/boundary";
import { Keys } from "./shell/keys";
import { hasPlace, placesOf } from "./shell/places";
import { SignIn } from "./shell/sign_in";
import { Coming, viewFile } from "./shell/view_file";
import { isColour, titleOf, useIsKnown, useProgram, type Program } from "./state/program";
import { useResource } from "./state/resource";
import { askSession, useSession } from "./state/session";
import { placeOf, usePath, type Place } from "./state/router";
import { isChosen, organizationSpeaks, text } from "./text";
import { HomeView } from "./views/home/home_view";

// Each of the others is a file of its own: the first look costs only what it shows, the rest comes when there is time.
const views = {
  run: viewFile(() => import("./views/run/run_view"), text.nav.runs),
  runs: viewFile(() => import("./views/run/runs_view"), text.nav.runs),
  review: viewFile(() => import("./views/review/review_view"), text.nav.review),
  export: viewFile(() => import("./views/export/export_view"), text.exports.title),
  papers: viewFile(() => import("./views/receipts/papers_view"), text.nav.papers),
  paper: viewFile(() => import("./views/receipts/paper_view"), text.nav.papers),
  statements: viewFile(() => import("./views/statements/statements_view"), text.nav.statements),
  statement: viewFile(() => import("./views/statements/statement_view"), text.nav.statements),
  documents: viewFile(() => import("./views/documents/documents_view"), text.nav.documents),
  document: viewFile(() => import("./views/documents/document_view"), text.nav.documents),
  operations: viewFile(() => import("./views/operations/operations_view"), text.nav.operations),
  workflows: viewFile(() => import("./views/workflows/workflows_view"), text.nav.workflows),
  settings: viewFile(() => import("./views/settings/settings_view"), text.settings.title),
};
loadAhead(Object.values(views));

// Nothing is asked before it is known who asks; whoever has no token sees where to give one.
export function App() {
  const session = useSession();
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    void askSession().then(() => setAsked(true));
    // A server that was not there when the page began is asked when it is.
    return live.watch(() => live.state === "open" && void askSession());
  }, []);
  useEffect(() => {
    if (session?.signed_in && !isChosen) call("GET /api/settings").then((told) => organizationSpeaks(told.language), () => {});
  }, [session?.signed_in]);
  if (session && !session.signed_in) return <SignIn />;
  if (!session && !asked)
    return (
      <main aria-busy="true">
        <h1 className="hidden">{text.loading}</h1>
      </main>
    );
  return <Inside />;
}

function Inside() {
  const path = usePath();
  const program = useProgram();
  const known = useIsKnown();
  const place = shownIn(program, placeOf(path));
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    // A new view is read from its beginning, by eye and by screen reader; the first one by itself.
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <a className="skip button primary" href="#main">
        {text.skip}
      </a>
      <div className="shell">
        <header className="side">
          <Link className="brand" href="/" aria-label={known ? undefined : text.loading} style={isColour(program.accent) ? { color: program.accent } : {}}>
            <Logo /> {known && titleOf(program)}
          </Link>
          <nav className="nav" aria-label={text.nav.label}>
            <ul>
              {(known ? placesOf(program.views) : []).filter((one) => !one.aside).map((one) => (
                <li key={one.href}>
                  <Link href={one.href} aria-current={one.views.includes(place.view) ? "page" : undefined}>
                    <Icon name={one.icon} /> <span className="nav-word">{one.word}</span>
                    {one.counted && <ReviewCount />}
                  </Link>
                </li>
              ))}
              {program.links.filter((one) => /^(https?:\/)?\//.test(one.url)).map((one) => (
                <li key={one.url}>
                  <a href={one.url} rel="noreferrer">
                    <Icon name="link" /> {one.title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <div className="side-end">
            <Whose />
            <Keys />
            <Link className="button bare small" href="/settings" aria-current={place.view === "settings" ? "page" : undefined}>
              <Icon name="settings" size={16} /> <span className="theme-word">{text.settings.title}</span>
            </Link>
            <ThemeButton />
            <LiveMark />
          </div>
        </header>
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <Warnings />
          <Boundary place={path}>
            {known ? <Shown place={place} /> : <Coming title={text.loading} />}
          </Boundary>
        </main>
      </div>
      <Toasts />
      <LostBar />
    </>
  );
}

// What is wrong with the data as a whole stands above every view until whoever runs the server has dealt with it.
function Warnings() {
  const told = useResource("warnings", () => call("GET /api/warnings"), 60_000).value?.warnings ?? [];
  return told.map((one) => (
    <section key={one.code} className="warning" role="alert">
      <Icon name="doubt" />
      <p>
        <strong>{text.warnings[one.code as keyof typeof text.warnings] ?? text.warnings.other}</strong> {one.text}
      </p>
    </section>
  ));
}

// A program without files begins elsewhere, and a program may say where. What it has not is nowhere.
function shownIn(program: Program, place: Place): Place {
  if (location.pathname === "/") place = placeOf(`/${program.start ?? (program.views.includes("uploads") ? "uploads" : "workflows")}`);
  return hasPlace(program.views, place.view) ? place : { view: "nowhere" };
}

function Shown({ place }: { place: Place }) {
  switch (place.view) {
    case "uploads":
      return <HomeView />;
    case "runs":
      return <views.runs.View />;
    case "run":
      return <views.run.View key={place.id} id={place.id} />;
    case "export":
      return <views.export.View />;
    case "review":
      return <views.review.View />;
    case "papers":
      return <views.papers.View />;
    case "receipt":
    case "invoice":
      return <views.paper.View key={place.id} kind={place.view} id={place.id} />;
    case "statements":
      return <views.statements.View />;
    case "statement":
      return <views.statement.View key={place.id} id={place.id} />;
    case "documents":
      return <views.documents.View />;
    case "document":
      return <views.document.View key={place.id} id={place.id} />;
    case "operations":
      return <views.operations.View />;
    case "workflows":
      return <views.workflows.View />;
    case "settings":
      return <views.settings.View />;
    case "nowhere":
      return (
        <Empty icon="search" title={text.nowhere} whole>
          <Link href="/">{text.homeLink}</Link>
        </Empty>
      );
  }
}

// Whose files these are: of one organization among several, or of somebody who signed in.
function Whose() {
  const session = useSession();
  if (!session?.organization_id || (!session.token && session.organizations.length < 2)) return null;
  return (
    <Link className="button bare small whose" href="/settings" title={text.settings.whose(session.organization_id)}>
      <Icon name="key" size={16} /> <span className="cut">{session.organization_id}</span>
    </Link>
  );
}

// How many papers wait for a person.
function ReviewCount() {
  const told = useResource("review-count", async () => ((await request("GET /api/review", { query: { limit: 1 } })) as { total: number }).total, 30_000, 2000);
  return told.value ? (
    <span className="count-badge">
      {count(told.value)}
    </span>
  ) : null;
}

function useLiveState() {
  return useSyncExternalStore(
    (watcher) => live.watch(watcher),
    () => live.state,
  );
}

function LiveMark() {
  const state = useLiveState();
  const observes = useProgram().observes && state === "open";
  return (
    <p className="live" data-state={state} role="status" title={observes ? text.live.executedElsewhere : undefined}>
      <i /> {observes ? text.live.observing : text.live[state]}
    </p>
  );
}

const kPatienceMs = 1500;

// It lies over the page and moves nothing. A connection that comes back at once was never worth a word.
function LostBar() {
  const state = useLiveState();
  useNow(500, state === "lost");
  const now = Date.now(); // our own clock: nobody else's is asked
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince((old) => (state === "open" ? null : state === "lost" ? (old ?? Date.now()) : old)), [state]);
  if (since === null || now - since < kPatienceMs) return null;
  const seconds = Math.max(0, Math.ceil((live.retryAt - now) / 1000));
  return (
    <div className="lost" role="alert">
      <Icon name="plug" />
      <span>{text.lost(seconds)}</span>
      <button className="button small" onClick={() => live.retryNow()}>
        {text.connectNow}
      </button>
    </div>
  );
}

function ThemeButton() {
  const [chosen, setChosen] = useState(theme);
  return (
    <button className="button bare small" onClick={() => setChosen(nextTheme())} aria-label={text.theme.label(text.theme[chosen])} title={text.theme.label(text.theme[chosen])}>
      <Icon name="sun" size={16} /> <span className="theme-word">{text.theme[chosen]}</span>
    </button>
  );
}
