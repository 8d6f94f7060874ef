// connection.ts — the live feed: events in order, none lost over a lost connection.
//
// The connection holds the id of the last event it has seen and asks for what came after it when it comes back
// (/api/live?after=). If the server no longer has those it says "reload", and everything on the page is read again.
// The feed only rings the bell: what is shown is always read from the tables, so an event that is handled twice, or
// late, does no harm.
export interface LiveEvent {
  id: number;
  type: string;
  at: string;
  data: Record<string, unknown> | null;
}
export type LiveState = "connecting" | "open" | "lost";

const kFirstWaitMs = 500;
const kLongestWaitMs = 15_000;
// The server pings every 20 s or so, which a page cannot see; a socket that was cut without a word is found by the
// browser's own "offline", or when the tab is looked at again.
const kStaleMs = 60_000;

export class Connection {
  state: LiveState = "connecting";
  retryAt = 0;
  skewMs = 0; // the server's clock beyond ours, as far as events told: what comes later can only look older
  private skewKnown = false;
  private socket: WebSocket | null = null;
  private lastId: number | null = null;
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heardAt = 0;
  private readonly hearers = new Set<(event: LiveEvent) => void>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly open: (url: string) => WebSocket = (url) => new WebSocket(url)) {}

  start(): void {
    addEventListener("online", () => this.retryNow());
    addEventListener("offline", () => this.socket?.close());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.state === "lost") this.retryNow();
      else if (Date.now() - this.heardAt > kStaleMs) this.socket?.close();
    });
    this.connect();
  }

  hear(hearer: (event: LiveEvent) => void): () => void {
    this.hearers.add(hearer);
    return () => this.hearers.delete(hearer);
  }
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  retryNow(): void {
    if (this.state !== "lost") return;
    clearTimeout(this.timer);
    this.connect();
  }

  // As somebody else, or nobody: what was heard before is not theirs.
  restart(): void {
    this.lastId = null;
    const old = this.socket;
    this.socket = null;
    old?.close();
    clearTimeout(this.timer);
    this.connect();
  }

  private connect(): void {
    const after = this.lastId === null ? "" : `?after=${this.lastId}`;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.open(`${scheme}://${location.host}/api/live${after}`);
    this.socket = socket;
    socket.onmessage = (message) => this.receive(socket, String(message.data));
    socket.onclose = () => this.lose(socket);
  }

  private receive(socket: WebSocket, text: string): void {
    if (socket !== this.socket) return;
    this.heardAt = Date.now();
    const event = JSON.parse(text) as LiveEvent;
    this.compareClocks(event);
    if (event.type === "hello" && this.lastId !== null && event.id < this.lastId) event.type = "reload";
    this.lastId = event.id;
    this.tries = 0;
    const back = this.state === "lost";
    if (this.state !== "open") this.change("open");
    // What the tables say may have changed while nobody listened, if the server has no feed of everything.
    if (event.type === "hello" && back) event.type = "resumed";
    for (const hearer of this.hearers) hearer(event);
  }

  // An event is on its way for a while, or is an old one that we missed: the youngest that was heard is the nearest.
  private compareClocks(event: LiveEvent): void {
    const skew = Date.parse(event.at) - this.heardAt;
    if (Number.isNaN(skew) || (this.skewKnown && skew <= this.skewMs)) return;
    if (event.type !== "hello" && !this.skewKnown) return;
    this.skewKnown = true;
    this.skewMs = skew;
  }

  private lose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    const longest = Math.min(kLongestWaitMs, kFirstWaitMs * 2 ** this.tries++);
    const wait = longest * (0.5 + Math.random() / 2); // a thousand pages must not come back in one moment
    this.retryAt = Date.now() + wait;
    this.timer = setTimeout(() => this.connect(), wait);
    this.change("lost");
  }

  private change(state: LiveState): void {
    this.state = state;
    for (const watcher of this.watchers) watcher();
  }
}

export const live = new Connection();
