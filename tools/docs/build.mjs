// build.mjs OUT [ROOT] — the documentation as a site of plain files: pages, the API reference, sources, the search's index.
//
// Made of ROOT's docs/**/*.md, the pages at its top and the comments of include/belay. Nothing in it asks the network, and no
// page needs a script to be read. A link to nothing, a quoted program that says something else, or a header that cannot be read
// is an error, and then there is no site.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync, cpSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { apiPages } from "./api.mjs";
import { checkLinks } from "./links.mjs";
import { Markdown } from "./markdown.mjs";
import { navigation } from "./navigation.mjs";
import { frame } from "./frame.mjs";
import { sections } from "./search.mjs";
import { sourcePages } from "./sources.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const topPages = ["README", "ARCHITECTURE", "HACKING", "CHANGELOG", "CONTRIBUTING", "SECURITY"];

function markdownFiles(root, under = "docs") {
  return readdirSync(join(root, under), { withFileTypes: true })
    .flatMap((one) =>
      one.isDirectory() ? markdownFiles(root, `${under}/${one.name}`) : one.name.endsWith(".md") ? [`${under}/${one.name}`] : [],
    )
    .sort();
}

// docs/steps.md → steps.html, docs/README.md → index.html, CHANGELOG.md → changelog.html.
const addressOf = (file) =>
  file.startsWith("docs/")
    ? file.slice(5).replace(/README\.md$/, "index.html").replace(/\.md$/, ".html")
    : file.toLowerCase().replace(/\.md$/, ".html");

export function build(out, root) {
  const files = [...topPages.map((name) => `${name}.md`).filter((file) => existsSync(join(root, file))), ...markdownFiles(root)];
  const addresses = new Map(files.map((file) => [file, addressOf(file)]));
  const markdown = new Markdown(root, addresses);
  const pages = files.map((file) => markdown.page(file));
  const api = apiPages(root, markdown);
  const all = [...pages, ...api];
  all.push(...sourcePages(root, markdown.sources));
  const nav = navigation(all, readFileSync(join(root, "docs/README.md"), "utf8"));

  const fresh = `${out}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const page of all) {
    mkdirSync(dirname(join(fresh, page.address)), { recursive: true });
    writeFileSync(join(fresh, page.address), frame(page, nav));
  }
  for (const image of markdown.images) {
    mkdirSync(dirname(join(fresh, image.to)), { recursive: true });
    cpSync(join(root, image.from), join(fresh, image.to));
  }
  mkdirSync(join(fresh, "look"), { recursive: true });
  for (const name of readdirSync(join(here, "look"))) cpSync(join(here, "look", name), join(fresh, "look", name));
  writeFileSync(join(fresh, "look/index.js"), `window.belayDocs = ${JSON.stringify(sections(all))};\n`);

  const problems = [...markdown.problems, ...checkLinks(fresh)];
  if (problems.length) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(problems.join("\n"));
  }
  rmSync(out, { recursive: true, force: true });
  cpSync(fresh, out, { recursive: true });
  rmSync(fresh, { recursive: true, force: true });
  return all.length;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , out, root = join(here, "../..")] = process.argv;
  if (!out) {
    console.error("usage: node tools/docs/build.mjs OUT [ROOT]");
    process.exit(2);
  }
  try {
    const count = build(resolve(out), resolve(root));
    console.log(`${count} pages in ${out}`);
  } catch (error) {
    console.error(process.env.BELAY_DOCS_TRACE ? error : `docs: ${error.message.replaceAll("\n", "\ndocs: ")}`);
    process.exit(1);
  }
}
