// read_metrics.ts — the text of /metrics, which is not JSON.
import { Failure } from "../../api/client";

export async function readMetrics(): Promise<string> {
  const response = await fetch("/metrics").catch(() => {
    throw new Failure("offline", "");
  });
  // They are of the whole server, and this organization is not its own: then there are none.
  if (response.status === 403) return "";
  if (!response.ok) throw new Failure(response.status === 404 ? "missing" : "fault", `${response.status}`);
  return response.text();
}
