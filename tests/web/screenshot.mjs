// The picture in the README: the verdict, the pairs and the order of a report.
//   node tests/web/screenshot.mjs report.html docs/report.png
import { resolve } from "node:path";
import { openBrowser, openReport } from "./browser.mjs";

const [file, out] = process.argv.slice(2);
const browser = await openBrowser();
const { page } = await openReport(browser, resolve(file), { viewport: { width: 1100, height: 900 }, colorScheme: "light" });
await page.addStyleTag({ content: `
  main > section, .panel, nav, footer { display: none !important; }
  #pairs, #ordering { display: block !important; margin-top: 24px; } #pairing, #order { display: flex !important; }
  #page { padding-bottom: 24px; }` });
await page.waitForTimeout(500);  // for the charts to have their new width
await page.screenshot({ path: out, fullPage: true });
await browser.close();
