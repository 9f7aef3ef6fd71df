// Debian's Chromium, without a network and without a sandbox of its own.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const require = createRequire(fileURLToPath(new URL("../../web/package.json", import.meta.url)));
const { chromium } = require("playwright-core");

const program = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function openBrowser() {
  if (!existsSync(program)) throw new Error(`${program} is missing: scripts/setup web installs it`);
  return chromium.launch({
    executablePath: program,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

// A page opened from disk with networking off. `faults` collects console errors, exceptions, and requests
// for anything but the file itself.
export async function openReport(browser, file, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(150_000);  // a busy machine is no fault of the page
  const page = await context.newPage();
  const faults = [];
  const url = `file://${file}`;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => request.url() !== url && !request.url().startsWith("data:") && faults.push(`request: ${request.url()}`));
  await page.goto(url);
  await page.waitForFunction(() => [...document.querySelectorAll(".figure")].every((figure) => figure.childElementCount > 0));
  return { page, faults, close: () => context.close() };
}
