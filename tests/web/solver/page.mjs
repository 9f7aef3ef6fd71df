// The page that solves, opened; files dropped on it as a hand would, through the browser's own events.
import assert from "node:assert/strict";

// `faults` collects console errors, exceptions, and requests for anything but the page's own parts.
export async function openSolver(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const faults = [];
  const own = (address) => address === url || address.startsWith("data:") || address.startsWith("blob:") ||
    (url.startsWith("http") && address.startsWith(url));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  context.on("request", (request) => own(request.url()) || faults.push(`request: ${request.url()}`));
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

// Real files and folders, let go of over the page.
export async function drop(page, paths) {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await devtools.send("Input.dispatchDragEvent", { type, x: 200, y: 300, data });
  await devtools.detach();
}

export async function state(page, wanted, timeout = 120_000) {
  await page.waitForFunction((names) => names.includes(document.querySelector("main")?.dataset.state), [wanted].flat(), { timeout });
}

export async function solved(page) {
  await state(page, ["solved", "failed"]);
  const line = await page.locator(".problem .line").allInnerTexts();
  assert.equal(await page.locator("main").getAttribute("data-state"), "solved", line.join());
}

export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), page.click(button)]);
  return file;
}
