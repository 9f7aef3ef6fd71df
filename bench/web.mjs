#!/usr/bin/env node
// The page beside the program on the published puzzle, one thread each: `bench/web PUZZLE`, after
// `make build web`. Runs take turns, the best of each counts, and every answer is checked first.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { startEngine } from "../tests/web/solver/engine.mjs";
import { filesOf, pages, program, puzzle as published, puzzleSha } from "../tests/web/solver/native.mjs";
import { openBrowser } from "../tests/web/browser.mjs";
import { drop, openSolver, solved } from "../tests/web/solver/page.mjs";

const puzzle = resolve(process.argv[2] ?? published);  // a browser has no folder that it works in
const times = 7;

const milliseconds = (solution) => Object.values(solution.timings_ms).reduce((sum, ms) => sum + ms, 0);
function checked(solution) {
  if (solution.sha256 !== puzzleSha || solution.verdict !== "exact") throw new Error("a wrong answer is not worth timing");
  return milliseconds(solution);
}

const native = () => checked(JSON.parse(execFileSync(program,
  ["solve", puzzle, "--threads", "1", "--json", "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })));

const engine = await startEngine();
for (const file of filesOf(puzzle)) engine.put(file, readFileSync(join(puzzle, file)));
const inNode = () => checked(engine.call("solve", { paths: ["."], threads: 1, timeLimit: 120, command: "", inputs: ["."] }));

// From the drop to the verdict on the screen, on a page just opened.
const browser = await openBrowser();
async function inBrowser() {
  const { page, close } = await openSolver(browser, `file://${join(pages, "humpty.html")}`);
  await page.waitForTimeout(1000);
  const paths = [...readdirSync(join(puzzle, "pieces")).map((name) => join(puzzle, "pieces", name)), join(puzzle, "historical_data.csv")];
  const start = performance.now();
  await drop(page, paths);
  await solved(page);
  const took = performance.now() - start;
  await close();
  return took;
}

const best = { native: Infinity, node: Infinity, browser: Infinity };
for (let i = 0; i < times; ++i) {
  best.native = Math.min(best.native, native());
  best.node = Math.min(best.node, inNode());
  best.browser = Math.min(best.browser, await inBrowser());
}
await browser.close();

console.log(`program, 1 thread      ${best.native.toFixed(0)} ms from files to verdict`);
console.log(`wasm in node           ${best.node.toFixed(0)} ms, ${(best.node / best.native).toFixed(2)} times the program`);
console.log(`page in Chromium       ${best.browser.toFixed(0)} ms from drop to verdict, on a page just opened`);
console.log(`humpty.html            ${(statSync(join(pages, "humpty.html")).size / 1000).toFixed(0)} kB`);
