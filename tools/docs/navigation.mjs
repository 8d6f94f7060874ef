// navigation.mjs — the list at the side: what docs/README.md links to, under its headings and in its order.
//
// That page is written for people who read the repository, and stays the one place where the order is decided.
import { posix } from "node:path";

export function navigation(pages, map) {
  const byFile = new Map(pages.filter((page) => page.file).map((page) => [page.file, page]));
  const groups = [{ title: "Belay", pages: [] }];
  const listed = new Set();
  const add = (page) => {
    if (!page || listed.has(page)) return;
    listed.add(page);
    groups.at(-1).pages.push(page);
  };
  add(byFile.get("docs/README.md"));
  add(byFile.get("README.md"));
  for (const line of map.split("\n")) {
    const heading = /^##\s+(.*)$/.exec(line);
    if (heading) groups.push({ title: heading[1], pages: [] });
    // Of a table's row the first link is the page that the row is about.
    const links = [...line.matchAll(/\]\(([^)#]+\.md)[^)]*\)/g)].slice(0, /^[|-]/.test(line) ? 1 : 0);
    for (const [, link] of links) add(byFile.get(posix.normalize(posix.join("docs", link))));
  }
  groups.push({ title: "API", pages: pages.filter((page) => page.isApi) });
  groups.push({ title: "More", pages: pages.filter((page) => page.file && !listed.has(page)) });
  return groups.filter((group) => group.pages.length);
}
