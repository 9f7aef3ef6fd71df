// Builds every page into one file, dist/NAME.html: styles and script inlined, nothing to fetch. The
// same sources give the same bytes. `--out DIR` writes elsewhere, for comparing.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] === "--out" ? process.argv[3] : join(here, "dist");

const pages = [
  { name: "report", title: "humpty: a net put back together" },
  { name: "paper", title: "humpty: the paper, number by number" },
];

const template = await readFile(join(here, "src", "page.html"), "utf8");
const style = await bundle("style.css");
await mkdir(out, { recursive: true });
for (const { name, title } of pages) {
  const parts = { TITLE: title, STYLE: style, SCRIPT: await bundle(`${name}.ts`) };
  const html = template.replace(/\{\{(\w+)\}\}/g, (_, key) => parts[key]);
  // The program keeps the page in C++ string literals: see cmake/embed.cmake.
  if (/[^\n\x20-\x7e]/.test(html)) throw new Error(`${name}: not plain ASCII`);
  if (html.split("HUMPTY_DATA_GOES_HERE").length !== 2) throw new Error(`${name}: no one place for data`);
  await writeFile(join(out, `${name}.html`), html);
  console.log(`${name}.html ${(html.length / 1000).toFixed(0)} kB`);
}
