// The picture of the README: the page while it checks the published puzzle's order.
//   node tests/web/solver/screenshot.mjs FILE.png
import { join } from "node:path";
import { openBrowser } from "../browser.mjs";
import { pages, puzzle } from "./native.mjs";
import { drop, openSolver } from "./page.mjs";

const browser = await openBrowser();
const { page, close } = await openSolver(browser, `file://${join(pages, "humpty.html")}`, { viewport: { width: 1280, height: 1020 } });
await drop(page, [puzzle]);
await page.waitForFunction(() => document.querySelector("main").dataset.stage === "verify" ||
  document.querySelector("main").dataset.state === "solved", null, { timeout: 120_000 });
await page.waitForFunction(() => document.querySelectorAll("#order .settled").length === 48);
await page.waitForTimeout(600);  // the bars' last move
await page.screenshot({ path: process.argv[2] });
await close();
await browser.close();
