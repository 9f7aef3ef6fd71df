// The page that solves, in Debian's Chromium: from disk, and served with and without isolation.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { execFileSync } from "node:child_process";
import { openBrowser } from "../browser.mjs";
import { differences, missing, pages, puzzle, puzzleSha, run, solveNatively, zoo } from "./native.mjs";
import { download, drop, openSolver, pressDuring, solved, state } from "./page.mjs";
import { serve } from "./serve.mjs";

const onDisk = `file://${join(pages, "humpty.html")}`;
let browser, plain, isolated, folder, net;
before(async () => {
  browser = await openBrowser();
  plain = await serve(pages);
  isolated = await serve(join(pages, "host"), { isolated: true });
  folder = mkdtempSync(join(tmpdir(), "humpty-web-"));
  net = join(folder, "net");
  run("train", "-o", net, "--blocks", "6", "--dim", "10", "--hidden", "20", "--init", "zero", "--epochs", "100", "--lr", "7e-3", "--rows", "800");
}, { timeout: 300_000 });
after(async () => {
  await browser?.close();
  await plain?.close();
  await isolated?.close();
  if (folder) rmSync(folder, { recursive: true });
});

// Opens the page, lets `use` use it, and wants neither a console error nor a request that leaves it.
async function opened(url, use, options) {
  const { page, faults, close } = await openSolver(browser, url, options);
  try {
    await use(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
}

const pieces = (of) => readdirSync(join(of, "pieces")).map((name) => join(of, "pieces", name));
const table = (of) => join(of, readdirSync(of).find((name) => name.endsWith(".csv")));
const line = (page) => page.locator(".problem .line").innerText();

// What the page saves is the program's JSON and what the panels draw besides.
const savedJson = async (page) => JSON.parse(readFileSync(await (await download(page, "#save-json")).path(), "utf8"));
const shared = (json, native) => Object.fromEntries(Object.keys(native).map((key) => [key, json[key]]));

const solutions = new Map();
function natively(of) {
  if (!solutions.has(of)) solutions.set(of, solveNatively(of));
  return solutions.get(of);
}

const ways = {
  "from disk": () => onDisk,
  "served": () => `${plain.url}humpty.html`,
  "served in parts": () => `${plain.url}host/`,
  "served in parts, isolated": () => isolated.url,
};

for (const [how, url] of Object.entries(ways))
  describe(`the page, ${how}`, () => {
    test("solves the published puzzle, dropped as 97 files and the CSV", { skip: missing(puzzle), timeout: 300_000 }, () =>
      opened(url(), async (page) => {
        await drop(page, [...pieces(puzzle), table(puzzle)]);
        await solved(page);
        assert.equal(await page.locator(".verdict").getAttribute("data-verdict"), "exact");
        assert.equal(await page.locator("#permutation code").innerText(), puzzleSha);
        assert.equal(Number(await page.locator("main").getAttribute("data-threads")) > 1, how.includes("isolated") && cpus().length > 1);
        const native = natively(puzzle);
        assert.deepEqual(differences(native, shared(await savedJson(page), native)), []);
        assert.match((await page.locator(".found").innerText()), /97 pieces: 48 expand \(96×48\), 48 contract \(48×96\), 1 head \(1×48\)/);
      }));

    test("solves a net of its own, twice", { timeout: 300_000 }, () => opened(url(), async (page) => {
      await page.click("#try");
      await solved(page);
      assert.match(await page.locator("#compared").innerText(), /it is this one/);
      await page.click("#again");
      await solved(page);
      assert.equal(await page.locator(".verdict").getAttribute("data-verdict"), "exact");
    }));
  });

describe("dropped", () => {
  for (const of of zoo)
    test(`the folder ${basename(of)}: what the program gives`, { skip: missing(of), timeout: 300_000 }, () =>
      opened(onDisk, async (page) => {
        await page.evaluate(() => (document.getElementById("limit").value = "0"));
        await drop(page, [of]);
        await solved(page);
        const json = await savedJson(page);
        const native = natively(of);
        assert.deepEqual(json.permutation, native.permutation);
        assert.deepEqual(differences(native, shared(json, native)), []);
      }));

  test("a zip of the puzzle", () => opened(onDisk, async (page) => {
    const zip = join(folder, "net.zip");
    execFileSync("python3", ["-c", "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2], 'net')", zip.replace(/\.zip$/, ""), folder]);
    await drop(page, [zip]);
    await solved(page);
  }));

  test("one checkpoint and the CSV, one after the other", () => opened(onDisk, async (page) => {
    const whole = join(folder, "whole.safetensors");
    run("solve", net, "--model", whole);
    await drop(page, [whole]);
    await state(page, "failed");
    assert.match(await line(page), /no data: there is no \.csv/);
    assert.match(await page.locator(".explained").innerText(), /13 pieces.*Drop the rows as well/s);
    await drop(page, [table(net)]);
    await solved(page);
  }));

  test("chosen files do as well", () => opened(onDisk, async (page) => {
    await page.setInputFiles("#files", [...pieces(net), table(net)]);
    await solved(page);
  }));
});

describe("bad files get the library's own line, and the page goes on", () => {
  test("a piece cut short", () => opened(onDisk, async (page) => {
    const bad = join(folder, "bad");
    mkdirSync(bad);
    cpSync(net, bad, { recursive: true });
    const piece = join(bad, "pieces", "piece_3.pth");
    writeFileSync(piece, readFileSync(piece).subarray(0, 1500));
    await drop(page, [bad]);
    await state(page, "failed");
    assert.match(await line(page), /^bad\/pieces\/piece_3\.pth: not a zip archive, or cut short/);
    assert.match(await page.locator(".explained").innerText(), /sound copy/);
    await page.click("#over");
    await drop(page, [net]);
    await solved(page);
  }));

  test("no CSV", () => opened(onDisk, async (page) => {
    await drop(page, pieces(net));
    await state(page, "failed");
    assert.match(await line(page), /^no data: there is no \.csv beside the pieces/);
    await drop(page, [table(net)]);
    await solved(page);
  }));

  test("a foreign file", () => opened(onDisk, async (page) => {
    const picture = join(folder, "picture.png");
    writeFileSync(picture, Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    await drop(page, [picture]);
    await state(page, "failed");
    assert.match(await line(page), /^picture\.png: /);
    await page.click("#try");
    await solved(page);
  }));

  test("several CSVs, and the choice among them", () => opened(onDisk, async (page) => {
    const other = join(folder, "other.csv");
    writeFileSync(other, "a,b\n1,2\n");
    await drop(page, [...pieces(net), table(net), other]);
    await state(page, "failed");
    assert.match(await line(page), /choose one with --data/);
    await page.click(".options summary");
    await page.selectOption("#data", basename(table(net)));
    await page.click("#again");
    await solved(page);
  }));
});

describe("memory", () => {
  const give = (page, megabytes, name) => page.evaluate(([count, called]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(Array(count).fill(new Uint8Array(1 << 20)), called));
    const input = document.getElementById("files");
    input.files = transfer.files;
    input.dispatchEvent(new Event("change"));
  }, [megabytes, name]);

  test("500 MB are refused before they are read", () => opened(onDisk, async (page) => {
    await give(page, 500, "big.safetensors");
    await state(page, "failed");
    assert.match(await line(page), /500 MB; a page takes 256 MB/);
    await page.click("#try");
    await solved(page);
  }));

  test("200 MB of nothing get a line, too", { timeout: 300_000 }, () => opened(onDisk, async (page) => {
    await give(page, 200, "zeros.safetensors");
    await state(page, "failed");
    assert.match(await line(page), /^zeros\.safetensors: /);
    await page.click("#try");
    await solved(page);
  }));
});

describe("cancelling", () => {
  test("is done at once, and the next run needs no reload", { skip: missing(puzzle), timeout: 300_000 }, () =>
    opened(onDisk, async (page) => {
      const cancelled = pressDuring(page, "verify", "#cancel");
      await drop(page, [puzzle]);
      assert.equal(await cancelled, "cancelled", "before anything else happens");
      assert.equal(await page.evaluate(() => document.activeElement.id), "again");
      await page.click("#again");
      await solved(page);
      assert.equal(await page.locator("#permutation code").innerText(), puzzleSha);
    }));
});

describe("what can be taken away", () => {
  for (const ending of ["safetensors", "pth", "onnx"])
    test(`the model as .${ending}, which the program verifies`, () => opened(onDisk, async (page) => {
      await drop(page, [net]);
      await solved(page);
      const file = join(folder, `downloaded.${ending}`);
      await (await download(page, `#model-${ending}`)).saveAs(file);
      run("solve", net, "--model", join(folder, `native.${ending}`));
      assert.ok(readFileSync(file).equals(readFileSync(join(folder, `native.${ending}`))), "the same bytes as the program's");
      // Solved again from the file that was downloaded: the program has to certify it.
      assert.match(run("solve", file, "--data", table(net), "--json", "-"), /"verdict": "exact"/);
    }));

  test("the report, which opens by itself", () => opened(onDisk, async (page) => {
    await drop(page, [net]);
    await solved(page);
    const file = join(folder, "report.html");
    await (await download(page, "#save-report")).saveAs(file);
    await opened(`file://${file}`, async (report) => {
      assert.equal(await report.locator(".verdict").getAttribute("data-verdict"), "exact");
    });
  }));

  test("the permutation, by the clipboard", () => opened(onDisk, async (page) => {
    await drop(page, [net]);
    await solved(page);
    const { permutation } = await savedJson(page);
    await page.click("#result .copy");
    await page.locator("#result [role=status]", { hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), permutation.join(","));
  }, { permissions: ["clipboard-read", "clipboard-write"] }));
});

describe("for everyone", () => {
  test("by keyboard alone", () => opened(onDisk, async (page) => {
    const reach = async (id) => {
      for (let i = 0; i < 40; ++i) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement.id) === id) return;
      }
      assert.fail(`${id} is not reached by Tab`);
    };
    await reach("try");
    await page.keyboard.press("Enter");
    await solved(page);
    assert.equal(await page.evaluate(() => document.activeElement.id), "result");
    await reach("model-pth");
  }));

  test("everything has a name to be told by", () => opened(onDisk, async (page) => {
    await page.click("#try");
    await solved(page);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, a, select, input:not([type=file]), [role=img], summary")]
      .filter((each) => !(each.textContent.trim() || each.getAttribute("aria-label") || each.labels?.length)).map((each) => each.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    assert.equal(await page.locator("[role=status]").count() > 0, true);
  }));

  for (const colorScheme of ["light", "dark"])
    for (const width of [1280, 390])
      test(`${colorScheme}, ${width} pixels wide: nothing overflows`, () => opened(onDisk, async (page) => {
        const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
        assert.ok(await fits(), "at the start");
        await page.click("#try");
        await solved(page);
        await page.waitForSelector("main[data-report=whole]");
        assert.ok(await fits(), "when solved");
        await drop(page, pieces(net));
        await state(page, "failed");
        assert.ok(await fits(), "with an error");
      }, { colorScheme, viewport: { width, height: 844 } }));
});
