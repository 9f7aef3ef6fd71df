// The library as WebAssembly in node, through the page's own code for it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { engine as built } from "./native.mjs";

const web = fileURLToPath(new URL("../../../web/", import.meta.url));
const require = createRequire(join(web, "package.json"));

async function pagesOwn() {
  const temporary = mkdtempSync(join(tmpdir(), "humpty-engine-"));
  const file = join(temporary, "engine.mjs");
  require("esbuild").buildSync({
    entryPoints: [join(web, "src/solver/engine.ts")], bundle: true, format: "esm", platform: "neutral", outfile: file,
  });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

export async function startEngine(tell = () => undefined) {
  const { Engine } = await pagesOwn();
  const module = await WebAssembly.compile(readFileSync(join(built, "humpty-core.wasm")));
  return Engine.start(require(join(built, "humpty-core.js")), tell, module);
}
