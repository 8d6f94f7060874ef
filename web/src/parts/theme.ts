// theme.ts — light, dark, or as the system has it; remembered on this device.
export type Theme = "system" | "light" | "dark";
const kKey = "belay.theme";
const order: Theme[] = ["system", "light", "dark"];

export function theme(): Theme {
  const kept = localStorage.getItem(kKey);
  return kept === "light" || kept === "dark" ? kept : "system";
}
function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
export function nextTheme(): Theme {
  const chosen = order[(order.indexOf(theme()) + 1) % order.length] ?? "system";
  if (chosen === "system") localStorage.removeItem(kKey);
  else localStorage.setItem(kKey, chosen);
  apply(chosen);
  return chosen;
}
apply(theme());
