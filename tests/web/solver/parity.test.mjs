// The library gives in WebAssembly what the program gives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { startEngine } from "./engine.mjs";
import { differences, filesOf, missing, puzzle, puzzleSha, solveNatively, zoo } from "./native.mjs";

async function solveInNode(folder, news = []) {
  const engine = await startEngine((each) => news.push(each));
  for (const file of filesOf(folder)) engine.put(file, readFileSync(join(folder, file)));
  return engine.call("solve", { paths: ["."], threads: 1, timeLimit: 0, command: "", inputs: ["."] });
}

describe("in node, beside the program", () => {
  for (const folder of [puzzle, ...zoo])
    test(basename(folder), { skip: missing(folder), timeout: 600_000 }, async () => {
      assert.deepEqual(differences(solveNatively(folder), await solveInNode(folder)), []);
    });

  test("the published puzzle's order, and news on the way to it", { skip: missing(puzzle) }, async () => {
    const news = [];
    const solution = await solveInNode(puzzle, news);
    assert.equal(solution.verdict, "exact");
    assert.equal(solution.sha256, puzzleSha);
    const reports = news.filter((each) => each.report).map((each) => each.report);
    assert.equal(reports[0].anatomy.pairing.pieces, 48);
    assert.deepEqual(reports.at(-1).anatomy.way.at(-1).order, solution.blocks.map((block) => block.in));
    assert.ok(news.some((each) => each.stage === "verify"));
  });
});

test("what is wrong is the library's own line", async () => {
  const engine = await startEngine();
  engine.put("pieces/piece_0.pth", new TextEncoder().encode("<!DOCTYPE html>"));
  const ask = () => engine.call("solve", { paths: ["pieces"], threads: 1, timeLimit: 1, command: "", inputs: ["."] });
  assert.throws(ask, /^Error: pieces\/piece_0\.pth: .*a web page, not the file: the download went wrong/);
  assert.throws(ask);  // and it goes on answering
});
