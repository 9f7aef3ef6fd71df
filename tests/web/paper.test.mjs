// The paper's page in a browser, from disk, with networking off.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser, openReport } from "./browser.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = resolve(root, process.env.HUMPTY ?? "build/humpty");
let browser, folder, file, data;

function run(...args) {
  const { status, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  if (status === 2) throw new Error(`humpty ${args.join(" ")}:\n${stderr}`);
}

// A small net with everything: climbs, and the appendix's training.
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "humpty-paper-"));
  run("train", "-o", "net", "--blocks", "6", "--dim", "10", "--hidden", "16", "--init", "zero", "--lr", "7e-3", "--epochs", "80", "--rows", "400");
  run("paper", "net", "-o", "paper", "--train");
  file = join(folder, "paper/paper.html");
  data = JSON.parse(readFileSync(file, "utf8").match(/id="humpty-data">([^<]*)<\/script>/)[1]);
  browser = await openBrowser();
}, { timeout: 300_000 });

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function opened(options, look) {
  const { page, faults, close } = await openReport(browser, file, options);
  try {
    await look(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
}

const entries = (pattern) => data.paper.entries.filter(({ id }) => pattern.test(id));

test("every figure is drawn, with the marks that the JSON has", () => opened({}, async (page) => {
  const blocks = data.blocks.length, features = data.puzzle.features;
  const expected = {
    "#architecture svg rect": 7,  // x, the block and its three parts, the last layer, the answer
    "#sorted-features .marks path": features,
    "#sorted-answers .marks path": 2,
    "#pairing canvas.heat": 2,
    "#right-and-wrong canvas": Object.keys(data.paper.figures).filter((id) => id.startsWith("product_")).length,
    "#products canvas": blocks,
    "#progression .marks rect": 4 * blocks,
    "#routes .marks circle": entries(/^table\./).filter(({ ours }) => (Array.isArray(ours) ? ours[1] : ours) > 5e-7).length,
    "#commute .marks circle": (blocks * (blocks - 1)) / 2,
    "#seeds tbody tr": entries(/^seeds\.\w+\.(a|de)scending$/).length,
    "#landscape .marks circle": entries(/^landscape\.(swaps|moves)\./).length,
    "#feature-correlations canvas": 1,
    "#isometry .marks circle": blocks,
    "#half-trace .marks path": 2,
    "#claim .marks path": 2,
    "#trained .marks path": 4,
    "#trained-products canvas": blocks,
    "#active .marks circle": blocks,
    "#delta-norm .marks circle": blocks,
    "#effective-rank .marks circle": blocks,
    "#all-values tbody tr": data.paper.entries.length,
  };
  for (const [selector, count] of Object.entries(expected)) {
    assert.ok(count > 0, `${selector}: nothing expected`);
    assert.equal(await page.locator(selector).count(), count, selector);
    const panel = page.locator(selector.split(" ")[0]);
    assert.ok(await panel.isVisible(), selector);
    assert.ok((await panel.locator(".see").innerText()).length > 20, `${selector} says what to see`);
  }
}));

test("nothing is compared on a net that is not the paper's", () => opened({}, async (page) => {
  assert.match(await page.locator(".verdict").innerText(), /another net/);
  assert.equal(await page.locator("#differs").count(), 0);
  assert.equal(await page.locator("tr.same, tr.differs").count(), 0);
}));

for (const width of [1280, 390, 320])
  test(`it does not overflow at ${width} pixels`, () => opened({ viewport: { width, height: 800 } }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    const cut = await page.evaluate(() => {
      for (const fold of document.querySelectorAll("details")) fold.open = true;
      const tables = [...document.querySelectorAll("table.values")];
      return tables.filter((table) => {
        const own = table.getBoundingClientRect(), frame = table.parentElement.getBoundingClientRect();
        return own.width === 0 || own.right > frame.right + 0.5 || own.bottom > frame.bottom + 0.5;
      }).length;
    });
    assert.equal(cut, 0, "tables are shown whole");
  }));

test("dark mode is dark", () => opened({ colorScheme: "dark" }, async (page) => {
  const light = (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).match(/\d+/g).map(Number);
  assert.ok(Math.max(...light) < 80, String(light));
}));

test("it stays small", () => assert.ok(statSync(file).size < 3e6));
