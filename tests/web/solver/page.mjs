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

// From now on; called, it waits until the page has begun to work.
async function listenForWork(page) {
  const heard = await page.evaluateHandle(() => {
    const main = document.querySelector("main");
    const begun = new Promise((resolve) => new MutationObserver(() => main.dataset.state === "working" && resolve())
      .observe(main, { attributeFilter: ["data-state"] }));
    return { begun };
  });
  return () => heard.evaluate(({ begun }) => begun);
}

// Real files and folders, let go of over the page. Back when it works on them: how the last attempt ended is over.
export async function drop(page, paths) {
  const begun = await listenForWork(page);
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await devtools.send("Input.dispatchDragEvent", { type, x: 200, y: 300, data });
  await devtools.detach();
  await begun();
}

// Presses the button as soon as the work is at that stage, before the work goes on; gives the state right after it.
export function pressDuring(page, stage, button) {
  return page.evaluate(([wanted, selector]) => new Promise((resolve) => {
    const main = document.querySelector("main");
    new MutationObserver((_, observer) => {
      if (main.dataset.stage !== wanted) return;
      observer.disconnect();
      document.querySelector(selector).click();
      resolve(main.dataset.state);
    }).observe(main, { attributeFilter: ["data-stage"] });
  }), [stage, button]);
}

export async function state(page, wanted, timeout = 280_000) {
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
