// One source of src/ with all that it imports, as text: small and plain ASCII.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

export async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2021", "chrome111", "firefox113", "safari16.2"],
    charset: "ascii",
    legalComments: "none",
    absWorkingDir: here,
    logLevel: "warning",
  });
  // esbuild leaves regular expressions as they are.
  return result.outputFiles[0].text.trimEnd()
    .replace(/[^\n\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
