// settings_view.tsx — who one is here, which language, whose tokens, how the books are kept, what the server allows; and
// who did what.
import "./settings.css";
import { useState, type FormEvent } from "react";
import { asFailure, call, type Answer } from "../../api/client";
import { live } from "../../live/connection";
import { bytes, count, since, time } from "../../parts/format";
import { CopyId } from "../../parts/copy_id";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, FailedPlacard, failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refresh, refreshWhere, useResource } from "../../state/resource";
import { askSession, signIn, signOut, useSession } from "../../state/session";
import { useTitle } from "../../state/title";
import { chooseLanguage, language, languageNames, text, type Language } from "../../text";
import { Audit } from "./audit";

type Settings = Answer<"GET /api/settings">;
const words = text.settings;

export default function SettingsView() {
  useTitle(words.title);
  const session = useSession();
  const settings = useResource("settings", () => call("GET /api/settings"));
  return (
    <div className="view settings">
      <header className="view-head">
        <div>
          <h1>{words.title}</h1>
          <p className="muted">{words.advice}</p>
        </div>
      </header>
      <div className="pair">
        <Who />
        <LanguageChoice />
      </div>
      <Tokens />
      {settings.failure && !settings.value ? (
        <FailedPlacard failure={settings.failure} again={settings.reload} />
      ) : !settings.value ? (
        <Bones rows={2} height={80} />
      ) : (
        <div className="pair">
          <Books settings={settings.value} />
          <Limits settings={settings.value} />
        </div>
      )}
      {session?.owner && settings.value && <Webhook settings={settings.value} />}
      <Audit />
    </div>
  );
}

async function tried(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    toast(failureLine(asFailure(error)));
  }
}

function Who() {
  const session = useSession();
  const become = async (organization: string) => {
    const said = await signIn({ organization });
    if (said !== null) return toast(said);
    live.restart();
    refreshWhere(() => true);
  };
  if (!session) return null;
  return (
    <section className="card panel" aria-label={words.who}>
      <h2>{words.who}</h2>
      <dl className="facts">
        <dt>{words.organization}</dt>
        <dd>
          {session.organizations.length > 1 ? (
            <select className="field" aria-label={words.organization} value={session.organization_id ?? ""} onChange={(event) => void tried(() => become(event.target.value).then(() => undefined))}>
              {session.organizations.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          ) : (
            <b>{session.organization_id}</b>
          )}
        </dd>
        <dt>{words.token}</dt>
        <dd>{session.token ? <b>{session.token.name}</b> : words.noToken}</dd>
        {session.expires_at && session.token && (
          <>
            <dt>{words.until}</dt>
            <dd>{time(session.expires_at)}</dd>
          </>
        )}
      </dl>
      {session.token && (
        <button className="button" onClick={() => void tried(signOut)}>
          {words.signOut}
        </button>
      )}
    </section>
  );
}

function LanguageChoice() {
  return (
    <section className="card panel" aria-label={words.language}>
      <h2>{words.language}</h2>
      <p className="muted">{words.languageAdvice}</p>
      <div className="row wrap" role="group" aria-label={words.language}>
        {(Object.entries(languageNames) as [Language, string][]).map(([code, name]) => (
          <button key={code} className="button" lang={code} aria-pressed={language === code} onClick={() => void tried(() => chooseLanguage(code, (chosen) => call("PATCH /api/settings", { body: { language: chosen } as never })))}>
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}

function Tokens() {
  const told = useResource("tokens", async () => (await call("GET /api/tokens")).tokens);
  const session = useSession();
  const [asking, setAsking] = useState(false);
  const [revoking, setRevoking] = useState<{ id: string; name: string; current: boolean } | null>(null);
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const [all, setAll] = useState(false);
  const rows = (told.value ?? []).filter((one) => all || one.revoked_at === null);
  const revoke = async (id: string) => {
    setRevoking(null);
    await call("DELETE /api/tokens/{id}", { path: { id } });
    toast(words.revokedNow);
    refresh("tokens");
    await askSession();
  };
  return (
    <section className="card section" aria-label={words.tokens}>
      <div className="row wrap">
        <h2 className="grow">{words.tokens}</h2>
        {(told.value ?? []).some((one) => one.revoked_at !== null) && (
          <label className="row small muted">
            <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> {words.showRevoked}
          </label>
        )}
        <button className="button" onClick={() => setAsking(true)}>
          <Icon name="key" size={16} /> {words.makeToken}
        </button>
      </div>
      <p className="muted">{session?.token_needed ? words.tokensAdvice : words.noTokensAdvice}</p>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : (
        rows.length > 0 && (
          <div className="scroll" tabIndex={0} role="group" aria-label={words.tokens}>
            <table className="rows">
              <thead>
                <tr>
                  <th scope="col">{words.name}</th>
                  <th scope="col">{words.organization}</th>
                  <th scope="col">{words.made}</th>
                  <th scope="col">{words.lastUsed}</th>
                  <th scope="col">
                    <span className="hidden">{text.operations.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <b>{one.name}</b> {one.current && <span className="chip">{words.current}</span>} <br />
                      <CopyId id={one.id} />
                    </td>
                    <td>{one.organization_id}</td>
                    <td className="muted" title={time(one.created_at)}>
                      {since(one.created_at)}
                    </td>
                    <td className="muted">{one.last_used_at ? since(one.last_used_at) : words.never}</td>
                    <td className="number">
                      {one.revoked_at ? (
                        <State status="canceled" word={words.revoked} />
                      ) : (
                        <button className="button small bad" aria-label={`${words.revoke} ${one.name}`} onClick={() => setRevoking(one)}>
                          {words.revoke}
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      )}
      {asking && <MakeToken owner={session?.owner ?? false} organization={session?.organization_id ?? ""} onClose={() => setAsking(false)} onMade={setMade} />}
      {made && (
        <Dialog title={words.madeTitle(made.name)} submit={text.close} plain onSubmit={() => setMade(null)} onClose={() => setMade(null)}>
          <p>{words.madeAdvice}</p>
          <p className="secret mono" data-secret>
            {made.token}
          </p>
          <CopyId id={made.token} />
        </Dialog>
      )}
      {revoking && (
        <Dialog title={words.revokeTitle(revoking.name)} submit={words.revoke} bad onSubmit={() => void tried(() => revoke(revoking.id))} onClose={() => setRevoking(null)}>
          <p className="muted">{revoking.current ? words.revokeOwn : words.revokeAdvice}</p>
        </Dialog>
      )}
    </section>
  );
}

function MakeToken({ owner, organization, onClose, onMade }: { owner: boolean; organization: string; onClose: () => void; onMade: (made: { name: string; token: string }) => void }) {
  const session = useSession();
  const [name, setName] = useState("");
  const [whose, setWhose] = useState(organization);
  const [failure, setFailure] = useState("");
  const submit = async () => {
    try {
      const told = await call("POST /api/tokens", { body: { name: name.trim(), ...(whose === organization ? {} : { organization_id: whose.trim() }) } });
      onClose();
      onMade({ name: told.name, token: told.token });
      await askSession(); // the first one has signed this page in
      live.restart();
      refreshWhere(() => true);
    } catch (error) {
      setFailure(failureLine(asFailure(error)));
    }
  };
  return (
    <Dialog title={words.makeToken} submit={words.makeToken} onSubmit={() => void submit()} onClose={onClose} failure={failure}>
      {!session?.token_needed && <p className="notice tone-doubt">{words.firstToken}</p>}
      <label>
        {words.name}
        <input className="field" required maxLength={100} placeholder={words.nameHint} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      {owner && (
        <label>
          {words.organization}
          <input className="field" required maxLength={100} value={whose} onChange={(event) => setWhose(event.target.value)} />
        </label>
      )}
    </Dialog>
  );
}

const kAccounts = ["1930", "2440", "2641", "2642", "2643", "5611", "5613", "5790", "5800", "5831", "6110", "6250"];

// Our proposals are in the accounts of BAS; whose books have others says which.
function Books({ settings }: { settings: Settings }) {
  const [currency, setCurrency] = useState(settings.home_currency ?? "");
  const [accounts, setAccounts] = useState<[string, string][]>(Object.entries(settings.accounts as Record<string, string>));
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    await tried(async () => {
      await call("PATCH /api/settings", { body: { home_currency: currency.trim().toUpperCase() || null, accounts: Object.fromEntries(accounts.filter(([from, to]) => from && to)) } as never });
      toast(words.saved);
      refresh("settings");
    });
    setBusy(false);
  };
  const change = (at: number, place: 0 | 1, value: string) => setAccounts((old) => old.map((pair, index) => (index === at ? (place === 0 ? [value, pair[1]] : [pair[0], value]) : pair)));
  return (
    <section className="card panel" aria-label={words.books}>
      <h2>{words.books}</h2>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <label>
          {words.currency}
          <input className="field short" placeholder="SEK" maxLength={3} pattern="[A-Za-z]{3}" value={currency} onChange={(event) => setCurrency(event.target.value)} />
        </label>
        <p className="small muted">{words.currencyAdvice}</p>
        <h3>{words.accounts}</h3>
        <p className="small muted">{words.accountsAdvice}</p>
        {accounts.map(([from, to], at) => (
          <div key={at} className="row">
            <input className="field short" list="accounts-of-bas" required pattern="[0-9]{4}" aria-label={`${words.accountFrom} ${at + 1}`} value={from} onChange={(event) => change(at, 0, event.target.value)} />
            <Icon name="right" size={14} />
            <input className="field short" required pattern="[0-9]{4}" aria-label={`${words.accountTo} ${at + 1}`} value={to} onChange={(event) => change(at, 1, event.target.value)} />
            <button type="button" className="button bare small" aria-label={`${words.removeAccount} ${at + 1}`} onClick={() => setAccounts((old) => old.filter((_, index) => index !== at))}>
              <Icon name="trash" size={15} />
            </button>
          </div>
        ))}
        <datalist id="accounts-of-bas">
          {kAccounts.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div className="row wrap">
          <button type="button" className="button small" onClick={() => setAccounts((old) => [...old, ["", ""]])}>
            {words.addAccount}
          </button>
          <span className="grow" />
          <button className="button primary" disabled={busy}>
            {text.papers.save}
          </button>
        </div>
      </form>
    </section>
  );
}

// Another server that is told when runs end. What it was started with stands; its secret is shown to nobody.
function Webhook({ settings }: { settings: Settings }) {
  const known = settings.webhook;
  const [url, setUrl] = useState(known?.url ?? "");
  const [secret, setSecret] = useState("");
  const [busy, setBusy] = useState(false);
  const set = async (to: { url: string; secret: string } | null) => {
    setBusy(true);
    await tried(async () => {
      await call("PATCH /api/settings", { body: { webhook: to } as never });
      toast(to ? words.saved : words.webhookGone);
      setSecret("");
      if (!to) setUrl("");
      refresh("settings");
    });
    setBusy(false);
  };
  return (
    <section className="card panel" aria-label={words.webhook}>
      <h2>{words.webhook}</h2>
      <p className="muted">{words.webhookAdvice}</p>
      {known?.fixed ? (
        <p>
          <span className="mono">{known.url}</span> <span className="muted">{words.webhookFixed}</span>
        </p>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void set({ url: url.trim(), secret });
          }}
        >
          <label>
            {words.webhookUrl}
            <input className="field" type="url" required placeholder="https://…" value={url} onChange={(event) => setUrl(event.target.value)} />
          </label>
          <label>
            {words.webhookSecret}
            <input className="field mono" type="password" autoComplete="new-password" required minLength={16} value={secret} onChange={(event) => setSecret(event.target.value)} />
          </label>
          <div className="row wrap">
            <Link href="/runs?workflow=WEBHOOK">{words.webhookRuns}</Link>
            <span className="grow" />
            {known && (
              <button type="button" className="button bad" disabled={busy} onClick={() => void set(null)}>
                {words.webhookRemove}
              </button>
            )}
            <button className="button primary" disabled={busy}>
              {text.papers.save}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}

function Limits({ settings }: { settings: Settings }) {
  const { limits } = settings;
  return (
    <section className="card panel" aria-label={words.limits}>
      <h2>{words.limits}</h2>
      <p className="muted">{words.limitsAdvice}</p>
      <dl className="facts">
        <dt>{words.uploadMax}</dt>
        <dd>{bytes(limits.upload_bytes_max)}</dd>
        <dt>{words.rate}</dt>
        <dd>{limits.requests_per_second > 0 ? words.perSecond(count(limits.requests_per_second)) : text.operations.noLimit}</dd>
        <dt>{words.connections}</dt>
        <dd>{count(limits.connections_max)}</dd>
      </dl>
    </section>
  );
}
