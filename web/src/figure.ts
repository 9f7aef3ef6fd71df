// Figures that fit the width they are given, in the page's own type and colours.
import * as Plot from "@observablehq/plot";
import { h } from "./dom.js";

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

export function chart({ label, ...options }: Chart): HTMLElement {
  return responsive((width) => {
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

export const colour = {
  accent: "var(--accent)",
  contrast: "var(--contrast)",
  muted: "var(--muted)",
  ink: "var(--ink)",
  rule: "var(--rule)",
};

// A colour between the first block's and the last one's.
export function depth(place: number, blocks: number): string {
  const share = blocks < 2 ? 0 : (100 * place) / (blocks - 1);
  return `color-mix(in oklab, var(--deep) ${share.toFixed(1)}%, var(--shallow))`;
}

export function legend(...entries: [string, string][]): HTMLElement {
  return h("p", { class: "legend" }, ...entries.map(([fill, text]) =>
    h("span", {}, h("i", { style: `background:${fill}`, "aria-hidden": "true" }), text)));
}

export { Plot };
