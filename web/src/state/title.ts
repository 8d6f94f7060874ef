// title.ts — the name of the tab: what is open, so that three tabs of Belay can be told apart.
import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Belay` : "Belay";
  }, [title]);
}
