// title.ts — the name of the tab: what is open, and whose page it is: three tabs can be told apart.
import { useEffect } from "react";
import { titleOf, useProgram } from "./program";

export function useTitle(title: string): void {
  const program = titleOf(useProgram());
  useEffect(() => {
    document.title = title ? `${title} · ${program}` : program;
  }, [title, program]);
}
