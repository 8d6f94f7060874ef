// client.ts — one function per request: typed by the server's own description, failures as values of one class.
//
// A route that this server does not have is a Failure of kind "missing", so that a view can say so instead of
// breaking: pages are bookmarked and outlive servers.
import { csrf, sessionRefused } from "../state/session";
import type { Operations } from "./schema";

export type Operation = keyof Operations;
export type Answer<O extends Operation> = Operations[O]["answer"];
export type Body<O extends Operation> = Operations[O]["body"];

export type FailureKind = "missing" | "not_found" | "token" | "refused" | "conflict" | "busy" | "fault" | "offline";

export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly code = "",
    readonly request = "",
  ) {
    super(message);
  }
}

interface Given<O extends Operation> {
  path?: Operations[O]["path"];
  query?: Operations[O]["query"];
  body?: Operations[O]["body"];
  signal?: AbortSignal;
  once?: boolean; // send an Idempotency-Key, so that a repeated click does it once
}

interface Loose {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  once?: boolean | undefined;
}

export async function call<O extends Operation>(operation: O, given: Given<O> = {}): Promise<Answer<O>> {
  return (await request(operation, given)) as Answer<O>;
}

// The same for a route that no description names yet; the caller says what it expects.
export async function request(operation: string, given: Loose = {}): Promise<unknown> {
  const { path, query, body, signal, once } = given;
  const [method = "GET", pattern = ""] = operation.split(" ");
  const changes = method !== "GET";
  const headers: Record<string, string> = { Accept: "application/json", ...(changes ? await csrf() : {}) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (once) headers["Idempotency-Key"] = crypto.randomUUID();
  const send = async (): Promise<Response> => {
    try {
      return await fetch(address(pattern, path, query), {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Failure("offline", "");
    }
  };
  let response = await send();
  // Another tab has signed in meanwhile: its session has another word.
  if (changes && response.status === 403 && headers["X-CSRF-Token"]) {
    Object.assign(headers, await csrf(true));
    response = await send();
  }
  if (!response.ok) throw await failureOf(response);
  if (response.status === 204) return undefined;
  return response.json();
}

// Whether a download will be one, asked before the browser takes it: what is refused is told here and not kept as a file.
export async function ready(path: string): Promise<void> {
  const until = new AbortController();
  let response: Response;
  try {
    response = await fetch(path, { signal: until.signal });
  } catch {
    throw new Failure("offline", "");
  }
  if (!response.ok) throw await failureOf(response);
  until.abort();
}

export function address(pattern: string, path: object = {}, query: object = {}): string {
  const known = path as Record<string, string>;
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name] ?? ""));
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== null) asked.set(name, String(value));
  }
  const text = asked.toString();
  return text ? `${filled}?${text}` : filled;
}

async function failureOf(response: Response): Promise<Failure> {
  let code = "";
  let message = `${response.status} ${response.statusText}`;
  try {
    const told = (await response.json()) as { error?: { code?: string; message?: string } };
    code = told.error?.code ?? "";
    message = told.error?.message ?? message;
  } catch {
    // Not one of our answers (a proxy's, perhaps): the status says enough.
  }
  return new Failure(kindOf(response.status, message), message, code, response.headers.get("X-Request-Id") ?? "");
}

// The router's own 404 points to the description; a handler's names the thing it did not find.
function kindOf(status: number, message: string): FailureKind {
  if (status === 405) return "missing";
  if (status === 404) return message.includes("openapi.json") ? "missing" : "not_found";
  if (status === 401) {
    sessionRefused();
    return "token";
  }
  if (status === 409) return "conflict";
  if (status === 429 || status === 503) return "busy";
  return status >= 500 ? "fault" : "refused";
}

export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("fault", error instanceof Error ? error.message : String(error));
}
