// docs.js — the search, the list of pages on a phone, the switch between light and dark. Pages read without it.
(() => {
  const root = document.documentElement.dataset.root;
  const query = document.getElementById("query");
  const results = document.getElementById("results");
  const side = document.getElementById("side");
  const menu = document.getElementById("menu");

  document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark" ||
      (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("belay-theme", dark ? "light" : "dark");
    } catch {
      // It holds for this page.
    }
  });
  menu.addEventListener("click", () => {
    const open = side.classList.toggle("open");
    menu.setAttribute("aria-expanded", String(open));
  });
  const current = side.querySelector("[aria-current]");
  if (current) side.scrollTop = current.offsetTop - side.offsetTop - side.clientHeight / 2;

  // The index is a script, so that it also comes from a folder of files.
  let coming = null;
  const index = () =>
    (coming ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = `${root}look/index.js`;
      script.onload = () => done(window.belayDocs.map(([address, page, heading, text]) => ({ address, page, heading, text, low: [page.toLowerCase(), heading.toLowerCase(), text.toLowerCase()] })));
      script.onerror = () => {
        coming = null;
        failed(new Error("the index of the search did not come"));
      };
      document.head.append(script);
    }));

  // All words have to be there. Where they are decides: a heading, a page's title, the text; a whole word before a part.
  function score(section, words) {
    let sum = 0;
    for (const word of words) {
      const [page, heading, text] = section.low;
      const whole = (there) => new RegExp(`(^|[^\\p{L}\\p{N}_])${word.replace(/[^\p{L}\p{N}]/gu, "\\$&")}($|[^\\p{L}\\p{N}_])`, "u").test(there);
      const here = (there, part, full) => (there.includes(word) ? (whole(there) ? full : part) : 0);
      const best = Math.max(here(heading, 20, 60), here(page, 10, 24), here(text, 2, 8));
      if (best === 0) return 0;
      sum += best;
    }
    // "retry after" is also RetryAfter and retry_after.
    const joined = section.low[1].replace(/[\s_]/g, "");
    if (joined.includes(words.join(""))) sum += 40;
    return sum + 10 / (1 + section.low[1].length);
  }
  function excerpt(section, words) {
    const at = Math.max(0, section.low[2].indexOf(words[0]) - 50);
    return (at > 0 ? "… " : "") + section.text.slice(at, at + 150);
  }

  let chosen = -1;
  function show(found, words) {
    results.replaceChildren();
    chosen = -1;
    results.hidden = words.length === 0;
    for (const [i, section] of found.entries()) {
      const link = document.createElement("a");
      link.href = root + section.address;
      link.id = `found-${i}`;
      link.setAttribute("role", "option");
      const name = document.createElement("b");
      name.textContent = section.heading === section.page ? section.page : `${section.page} › ${section.heading}`;
      const text = document.createElement("span");
      text.textContent = excerpt(section, words);
      link.append(name, text);
      results.append(link);
    }
    if (words.length && !found.length) {
      const nothing = document.createElement("p");
      nothing.textContent = "Nothing has all of these words.";
      results.append(nothing);
    }
  }
  async function search() {
    const asked = query.value;
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return show([], words);
    const sections = await index();
    if (query.value !== asked) return undefined;
    const found = sections.map((section) => ({ section, score: score(section, words) })).filter((one) => one.score > 0);
    found.sort((a, b) => b.score - a.score);
    return show(found.slice(0, 12).map((one) => one.section), words);
  }
  function choose(step) {
    const links = results.querySelectorAll("a");
    if (!links.length) return;
    links[chosen]?.removeAttribute("aria-selected");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].setAttribute("aria-selected", "true");
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  query.addEventListener("focus", () => index().catch(() => {}));
  query.addEventListener("input", () => search().catch(() => {}));
  query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    }
    if (event.key === "Enter") results.querySelectorAll("a")[Math.max(0, chosen)]?.click();
    if (event.key === "Escape") {
      query.value = "";
      show([], []);
      query.blur();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    query.focus();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) results.hidden = true;
  });
})();
