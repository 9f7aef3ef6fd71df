// The report page in a browser, from disk, with networking off.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { openBrowser, openReport } from "./browser.mjs";
import { makeReports } from "./reports.mjs";

const words = { solved: "Exact", unsolved: "Unsolved", ambiguous: "Ambiguous", many: "Unsolved", "no-data": "Unsolved" };
const names = Object.keys(words);

let browser, made;
const report = (name) => made.reports.find((each) => each.name === name);

before(async () => {
  made = makeReports();
  browser = await openBrowser();
}, { timeout: 300_000 });

after(async () => {
  await browser?.close();
  made?.remove();
});

// Opens a report, lets `look` look at it, and wants no fault in the end.
async function opened(name, options, look) {
  const { page, faults, close } = await openReport(browser, report(name).file, options);
  try {
    await look(page, report(name).data);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
}

const finite = (list) => list.filter((value) => value !== null).length;

// How many marks each panel must have, by what the JSON says; null: the panel must not be shown.
function expectedMarks(data) {
  const a = data.anatomy, blocks = data.blocks.length;
  const bins = a.histogram.matched.concat(a.histogram.unmatched).filter((n) => n > 0).length;
  const rounds = data.rounds.length + (data.seed_mse ? 1 : 0);
  const answers = a.answers ? finite(a.answers.residual) : null;
  const open = data.certificate.freedom;
  const motion = (name) => (a.motions ? finite(a.motions[name]) : null);
  return {
    "#histogram .marks rect": bins,
    "#margins .marks rect": finite(data.blocks.map((block) => block.margin)),
    "#products canvas": a.products.of.length,
    "#pairing canvas.heat": 2,
    "#order svg rect": blocks,
    "#rounds .marks circle": rounds || null,
    "#swaps .marks circle": a.swaps ? finite(a.swaps.mse) : null,
    "#predictions .marks circle": answers,
    "#residuals .marks circle": answers,
    "#delta-norm .marks circle": motion("delta_norm"),
    "#relative .marks circle": motion("relative"),
    "#active .marks circle": motion("active"),
    "#out-norm .marks circle": finite(a.out_norm),
    "#effective-rank .marks circle": a.spectra.length,
    "#spectra .marks path": a.spectra.some((s) => s.values[0] > 0) ? a.spectra.length : null,
    "#timings .marks rect": Object.keys(data.timings_ms).length,
    "#permutation tbody tr": data.permutation.length,
    "#freedom .chips li": open ? open.expand.length + open.contract.length + open.unordered.length : null,
  };
}

for (const name of names)
  describe(`the report "${name}"`, () => {
    test("says its verdict first, and only that one", () => opened(name, {}, async (page, data) => {
      const verdict = page.locator(".verdict");
      assert.equal(await verdict.getAttribute("data-verdict"), data.verdict);
      assert.ok((await verdict.locator(".badge").innerText()).includes(words[name]));
      const first = await page.locator("main > *").first().getAttribute("class");
      assert.match(first, /verdict/);
      if (name !== "solved") assert.doesNotMatch(await verdict.innerText(), /exact|all .* are back/i);
    }));

    test("draws every mark that its JSON has", () => opened(name, {}, async (page, data) => {
      for (const [selector, expected] of Object.entries(expectedMarks(data))) {
        assert.equal(await page.locator(selector).count(), expected ?? 0, selector);
        const panel = page.locator(selector.split(" ")[0]);
        assert.equal(await panel.isVisible(), expected !== null, selector);
        if (expected !== null) assert.ok((await panel.locator(".see").innerText()).length > 20, `${selector} says what to see`);
      }
      const cells = await page.locator("#pairing canvas.heat").evaluateAll((all) => all.map((each) => Number(each.dataset.cells)));
      assert.deepEqual(cells, [data.anatomy.pairing.side ** 2, data.anatomy.pairing.side ** 2]);
    }));

    for (const width of [1280, 390, 320])
      test(`does not overflow at ${width} pixels`, () => opened(name, { viewport: { width, height: 800 } }, async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
        const beyond = await page.evaluate(() => [...document.querySelectorAll(".panel:not([hidden]), .verdict, nav, .plot, canvas")]
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5).map((each) => each.id || each.className.baseVal || each.className));
        assert.deepEqual(beyond, []);
      }));

    test("stays small", () => assert.ok(statSync(report(name).file).size < 2e6));
  });

test("the pairs lie on the diagonal after matching", () => opened("solved", {}, async (page) => {
  const [onDiagonal, elsewhere] = await page.locator("#pairing canvas.heat").nth(1).evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const red = (x, y) => data[4 * (y * canvas.width + x)];
    let own = 0, others = 0;
    for (let y = 0; y < canvas.height; ++y) {
      own += red(y, y) / canvas.height;
      others += red((y + 7) % canvas.width, y) / canvas.height;
    }
    return [own, others];
  });
  assert.ok(onDiagonal < elsewhere - 50, `${onDiagonal} is no darker than ${elsewhere}`);
}));

const places = (page) => page.locator("#order svg rect").evaluateAll((bars) =>
  Object.fromEntries(bars.map((bar) => [bar.dataset.block, [Number(bar.dataset.place), bar.style.transform]])));

test("the slider moves the bars", () => opened("solved", {}, async (page, data) => {
  const way = data.anatomy.way;
  assert.ok(way.length >= 2);
  const shown = async (step) => {
    const bars = await places(page);
    step.order.forEach((id, place) => assert.equal(bars[id][0], place, `block ${id}`));
    return bars;
  };
  const first = await shown(way[0]);
  await page.locator("#order input[type=range]").focus();
  for (let i = 1; i < way.length; ++i) await page.keyboard.press("ArrowRight");
  const last = await shown(way[way.length - 1]);
  const moved = Object.keys(first).filter((id) => first[id][1] !== last[id][1]);
  assert.equal(moved.length, way[0].order.filter((id, i) => way[way.length - 1].order[i] !== id).length);
  assert.match(await page.locator("#order .caption").innerText(), new RegExp(`${data.blocks.length} of ${data.blocks.length} in place`));
}));

test("play goes through to the end", () => opened("solved", {}, async (page, data) => {
  await page.locator("#order .play").click();
  await page.waitForFunction((last) => document.querySelector("#order input").value === String(last), data.anatomy.way.length - 1);
  assert.equal(await page.locator("#order rect.astray").count(), 0);
  assert.match(await page.locator("#order .play").innerText(), /Play/);
}));

test("the copy button copies the permutation", () => opened("solved", { permissions: ["clipboard-read", "clipboard-write"] }, async (page, data) => {
  await page.locator("#permutation .copy").click();
  await page.locator("#permutation [role=status]", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), data.permutation.join(","));
}));

test("every id has its file", () => opened("solved", {}, async (page, data) => {
  await page.locator("#permutation summary").click();
  const rows = await page.locator("#permutation tbody tr").evaluateAll((all) => all.map((row) => [row.cells[1].innerText, row.cells[2].innerText]));
  assert.deepEqual(rows, data.permutation.map((id) => [String(id), data.pieces[id]]));
}));

const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const light = (colour) => colour.match(/\d+/g).slice(0, 3).every((part) => Number(part) > 200);
const picture = (page) => page.locator("#pairing canvas.heat").first().evaluate((canvas) => canvas.toDataURL());

test("dark follows the system, and the button changes it", () => opened("solved", { colorScheme: "dark" }, async (page) => {
  assert.ok(!light(await paper(page)));
  const before = await picture(page);
  await page.locator("#theme").click();
  assert.ok(light(await paper(page)));
  assert.notEqual(await picture(page), before, "the canvases are painted again");
  await page.locator("#theme").click();
  assert.ok(!light(await paper(page)));
  assert.equal(await picture(page), before);
}));

test("charts follow the width of the window", () => opened("solved", {}, async (page) => {
  const width = () => page.locator("#residuals svg.plot").evaluate((svg) => svg.getBoundingClientRect().width);
  const wide = await width();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForFunction((before) => document.querySelector("#residuals svg.plot").getBoundingClientRect().width < before, wide);
  assert.ok(await width() <= 360);
}));

test("it prints", () => opened("solved", {}, async (page) => {
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav").isVisible(), false);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 50_000);
}));

test("whoever does not see it is told", () => opened("solved", {}, async (page) => {
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("main [role=img], button, input")]
    .filter((each) => !(each.getAttribute("aria-label") || each.textContent).trim()).map((each) => each.outerHTML.slice(0, 80)));
  assert.deepEqual(unnamed, []);
  assert.equal(await page.locator("h1, h2, h3").first().evaluate((each) => each.tagName), "H1");
}));
