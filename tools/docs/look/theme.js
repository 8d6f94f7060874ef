// theme.js — light or dark as it was last chosen, before anything is drawn; without a choice as the machine is set.
(() => {
  try {
    const chosen = localStorage.getItem("belay-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // No storage: as the machine is set.
  }
})();
