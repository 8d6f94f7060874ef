// sign_in.tsx — the page before the page: a token opens a session. Nothing of it is kept where a script can read it.
import { useState, type FormEvent } from "react";
import { live } from "../live/connection";
import { Icon, Logo } from "../parts/icon";
import { titleOf, useProgram } from "../state/program";
import { refreshWhere } from "../state/resource";
import { signIn } from "../state/session";
import { useTitle } from "../state/title";
import { text } from "../text";

export function SignIn() {
  const words = text.signIn;
  const program = useProgram();
  const [given, setGiven] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  useTitle(words.title);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const said = await signIn({ token: given.trim() });
      if (said !== null) setProblem(said);
      else {
        live.restart();
        refreshWhere(() => true);
      }
    } catch {
      setProblem(text.failures.offline);
    }
    setBusy(false);
  };
  return (
    <main className="sign-in" id="main">
      <form className="card panel" onSubmit={(event) => void submit(event)}>
        <p className="brand">
          <Logo size={34} /> {titleOf(program)}
        </p>
        <h1>{words.title}</h1>
        <p className="muted">{words.advice}</p>
        <label>
          {words.token}
          <input className="field mono" type="password" name="token" autoComplete="current-password" autoFocus required spellCheck={false} value={given} aria-describedby={problem ? "sign-in-problem" : undefined} onChange={(event) => setGiven(event.target.value)} />
        </label>
        {problem && (
          <p className="notice tone-bad" id="sign-in-problem" role="alert">
            {problem}
          </p>
        )}
        <button className="button primary" disabled={busy}>
          <Icon name="key" size={16} /> {words.submit}
        </button>
        <details>
          <summary>{words.none}</summary>
          <p className="small muted">{words.how}</p>
          <pre className="json">belay tokens create --organization acme --name browser</pre>
        </details>
      </form>
    </main>
  );
}
