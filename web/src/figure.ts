// Figures that fit the width they are given, in the page's own type and colours.
import * as Plot from "@observablehq/plot";
import { h } from "./dom.js";
import { decade, nice } from "./format.js";

// Draws now and whenever the width has changed.
export function responsive(draw: (width: number) => Element): HTMLElement {
  const holder = h("div", { class: "figure" });
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === 0 || width === drawn) return;
    drawn = width;
    holder.replaceChildren(draw(width));
  }).observe(holder);
  return holder;
}

export interface Chart extends Plot.PlotOptions {
  label: string;  // for those who do not see it
}

export function chart(what: Chart | ((width: number) => Chart)): HTMLElement {
  return responsive((width) => {
    const { label, ...options } = typeof what === "function" ? what(width) : what;
    const drawing = Plot.plot({
      width,
      height: Math.round(Math.min(300, Math.max(200, width * 0.55))),
      marginLeft: 52,
      marginBottom: 38,
      ...options,
      className: "plot",
      style: { background: "transparent", fontSize: "12px", overflow: "visible" },
    });
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", label);
    return drawing;
  });
}

// Ticks of a logarithmic axis: powers of ten, or 1, 2, 5 where it spans less than two of them.
function logTicks(low: number, high: number, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const exponents = (from: number, to: number, by: number) =>
    Array.from({ length: Math.max(0, Math.floor((to - from) / by) + 1) }, (_, i) => from + i * by);
  const powers = exponents(first, last, step).map((e) => 10 ** e);
  return powers.length > 1 ? powers
    : exponents(first - 1, last, 1).flatMap((e) => [1, 2, 5].map((m) => m * 10 ** e)).filter((t) => t >= low && t <= high);
}

// An axis for errors: logarithmic where they differ by more than a few times.
export function errorAxis(values: number[], most = 5): Plot.ScaleOptions {
  const positive = values.filter((value) => value > 0);
  const low = positive.reduce((a, b) => Math.min(a, b), Infinity), high = positive.reduce((a, b) => Math.max(a, b), 0);
  return high / low > 4
    ? { type: "log", domain: [low, high], ticks: logTicks(low, high, most), tickFormat: decade, grid: true }
    : { type: "linear", nice: true, ticks: Math.min(4, most), tickFormat: (value: number) => nice(value, 4), grid: true };
}

export const colour = {
  accent: "var(--accent)",
  contrast: "var(--contrast)",
  muted: "var(--muted)",
  ink: "var(--ink)",
  rule: "var(--rule)",
};

// A colour from the first block's (0) to the last one's (1).
export function depth(share: number): string {
  return `color-mix(in oklab, var(--deep) ${(100 * share).toFixed(1)}%, var(--shallow))`;
}

export function legend(...entries: [string, string][]): HTMLElement {
  return h("p", { class: "legend" }, ...entries.map(([fill, text]) =>
    h("span", {}, h("i", { style: `background:${fill}`, "aria-hidden": "true" }), text)));
}

export { Plot };
