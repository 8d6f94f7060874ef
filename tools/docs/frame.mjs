// frame.mjs — what is around every page: the list of pages, the search, the switch between light and dark.
import { between, escaped } from "./markdown.mjs";

// Shorter than a title where that is a sentence.
const named = (page) => escaped(page.short ?? page.title);

function aside(page, nav) {
  const groups = nav.map((group) => {
    const links = group.pages.map((one) => {
      const here = one === page ? ' aria-current="page"' : "";
      return `<li><a href="${between(page.address, one.address)}"${here}>${named(one)}</a></li>`;
    });
    const open = group.pages.includes(page) || !group.pages[0].isApi ? " open" : "";
    return `<details${open}><summary>${escaped(group.title)}</summary><ul>${links.join("")}</ul></details>`;
  });
  return groups.join("\n");
}

function contents(page) {
  const inside = page.headings.filter((one) => one.level === 2 || one.level === 3);
  if (inside.length < 3) return "";
  const rows = inside.map((one) => `<li class="level${one.level}"><a href="#${one.id}">${escaped(one.text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${rows.join("")}</ul></nav>`;
}

function neighbours(page, nav) {
  const order = nav.flatMap((group) => group.pages);
  const at = order.indexOf(page);
  if (at < 0) return "";
  const link = (one, word, kind) =>
    one ? `<a class="${kind}" href="${between(page.address, one.address)}"><span>${word}</span>${named(one)}</a>` : "<span></span>";
  return `<nav class="neighbours" aria-label="Next page">${link(order[at - 1], "Before", "before")}${link(order[at + 1], "Next", "next")}</nav>`;
}

export function frame(page, nav) {
  const to = (address) => between(page.address, address);
  return `<!doctype html>
<html lang="en" data-root="${escaped(to("index.html").replace(/index\.html$/, ""))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Belay</title>
<link rel="stylesheet" href="${to("look/docs.css")}">
<script src="${to("look/theme.js")}"></script>
<script src="${to("look/docs.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="side">Pages</button>
<a class="brand" href="${to("index.html")}">Belay <span>docs</span></a>
<div class="search" role="search">
<input id="query" type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div id="results" role="listbox" aria-label="Found" hidden></div>
</div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
<nav id="side" aria-label="Pages">
${aside(page, nav)}
</nav>
<main id="content" tabindex="-1">
<article>
${page.html}
</article>
${neighbours(page, nav)}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}
