// What backs the verdict: the error beside what rounding explains and beside the nearest rival's.
import type { Certificate } from "../data.js";
import { h } from "../dom.js";
import { chart, colour, Plot } from "../figure.js";
import { decade, nice } from "../format.js";
import type { Panel } from "../panel.js";
import { rowsOf } from "./verdict.js";

interface Mark { what: string; value: number; fill: string }

function marks(certificate: Certificate): Mark[] {
  const list: [string, number | null | undefined, string][] = [
    ["this arrangement", certificate.mse, colour.accent],
    ["the floor", certificate.floor_mse, colour.muted],
    [certificate.nearest ? "nearest rival" : "", certificate.nearest?.mse, colour.contrast],
  ];
  return list.flatMap(([what, value, fill]) => value ? [{ what, value, fill }] : []);
}

function scale(certificate: Certificate): HTMLElement | null {
  const shown = marks(certificate);
  if (shown.length < 2) return null;
  const values = shown.map((mark) => mark.value);
  return chart({
    label: `Mean square errors on one logarithmic scale: ${shown.map((m) => `${m.what} ${nice(m.value)}`).join(", ")}`,
    height: 44 + 30 * shown.length,
    marginLeft: 108,
    marginRight: 64,
    x: { type: "log", domain: [Math.min(...values) / 10, Math.max(...values) * 10], label: "mean square error", tickFormat: decade, ticks: 6, grid: true },
    y: { label: null, domain: shown.map((m) => m.what), tickSize: 0 },
    marks: [
      Plot.ruleY(shown, { y: "what", x1: Math.min(...values) / 10, x2: "value", stroke: "fill", strokeWidth: 2 }),
      Plot.dot(shown, { x: "value", y: "what", fill: "fill", r: 5, ariaLabel: "errors" }),
      Plot.text(shown, { x: "value", y: "what", text: (m: Mark) => nice(m.value, 2), dx: 10, textAnchor: "start", fill: colour.ink }),
    ],
    color: { type: "identity" },
  });
}

export const certificate: Panel = {
  id: "certificate",
  title: "The certificate",
  wide: true,
  inputs: (report) => [report.certificate],
  see: ({ certificate: c }) => c ? `${c.why.charAt(0).toUpperCase()}${c.why.slice(1)}.`.replace(/\.\.$/, ".") : "",
  draw: ({ certificate: c }) => {
    if (!c) return null;
    const hints = c.hints.length > 0
      ? h("div", {}, h("h4", {}, "What would help"), h("ul", {}, ...c.hints.map((hint) => h("li", {}, hint)))) : null;
    return h("div", { class: "side-by-side" },
      h("table", { class: "facts" }, h("tbody", {}, ...rowsOf(c).map(([what, value]) =>
        h("tr", {}, h("th", { scope: "row" }, what), h("td", {}, value))))),
      h("div", {}, scale(c), hints));
  },
};
