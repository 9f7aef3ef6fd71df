// Builds the page that solves, from the library compiled to WebAssembly:
//   node web/solver.mjs WASM OUT
// OUT/humpty.html is one file, with everything inlined, that also opens from disk. OUT/host/ is the
// same as files for a web server, with a second build for pages that may use threads.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [wasmFolder, out] = process.argv.slice(2);
const host = join(out, "host");
await mkdir(host, { recursive: true });

const text = (file) => readFile(file, "utf8");
const template = await text(join(here, "src", "solver", "page.html"));
const style = await bundle("solver/style.css");
const page = await bundle("solver/solver.ts");
const worker = await bundle("solver/worker.ts");

const filled = (parts) => template.replace(/\{\{(\w+)\}\}/g, (_, key) => parts[key]);
const inline = (kind, script) => `<script${kind}>${script.replaceAll("</script", "<\\/script")}</script>`;

async function save(file, content) {
  await writeFile(join(out, file), content);
  console.log(`${file} ${(content.length / 1000).toFixed(0)} kB`);
}

const core = await text(join(wasmFolder, "humpty-core.js"));
const wasm = gzipSync(await readFile(join(wasmFolder, "humpty-core.wasm")), { level: 9 }).toString("base64");
await save("humpty.html", filled({
  POLICY: "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:",
  STYLE: style,
  PARTS: [inline(' type="text/plain" id="humpty-worker"', `${core}\n${worker}`),
    inline(' type="text/plain" id="humpty-wasm"', wasm), inline("", page)].join("\n"),
}));

// As files.
await save("host/index.html", filled({
  POLICY: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'",
  STYLE: style,
  PARTS: '<script src="page.js"></script>',
}));
await save("host/page.js", page);
await save("host/worker.js", worker);
for (const file of ["humpty-core.js", "humpty-core.wasm", "humpty-threads.js", "humpty-threads.wasm", "humpty-threads.worker.js"])
  await copyFile(join(wasmFolder, file), join(host, file));
