// search.mjs — what the search looks through: every section of every page, as [address, page's title, heading, text].
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();

export function sections(pages) {
  const found = [];
  for (const page of pages.filter((one) => !one.isSource)) {
    // A heading with an id begins a section.
    const parts = page.html.split(/(?=<h[1-4][^>]* id=")/);
    for (const part of parts) {
      const heading = /^<h[1-4][^>]* id="([^"]*)"[^>]*>([\s\S]*?)<\/h[1-4]>/.exec(part);
      const text = plain(heading ? part.slice(heading[0].length) : part);
      if (!heading && !text) continue;
      found.push([page.address + (heading ? `#${heading[1]}` : ""), page.title, heading ? plain(heading[2]) : page.title, text]);
    }
  }
  return found;
}
