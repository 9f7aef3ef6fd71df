// What backs the verdict: the error beside what rounding explains and beside the nearest rival's.
import type { Certificate } from "../data.js";
import { h, math } from "../dom.js";
import { chart, colour, errorAxis, Plot } from "../figure.js";
import { nice } from "../format.js";
import type { Panel } from "../panel.js";
import { factsOf } from "./verdict.js";

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
  const values = shown.map((mark) => mark.value), low = Math.min(...values) / 30;
  return chart((width) => ({
    label: `Mean square errors on one logarithmic scale: ${shown.map((m) => `${m.what} ${nice(m.value)}`).join(", ")}`,
    height: 44 + 30 * shown.length,
    marginLeft: 108,
    marginRight: 64,
    x: { ...errorAxis([low, ...values.map((value) => 3 * value)], width < 400 ? 3 : 6), type: "log", label: "mean square error" },
    y: { label: null, domain: shown.map((m) => m.what), tickSize: 0 },
    marks: [
      Plot.ruleY(shown, { y: "what", x1: low, x2: "value", stroke: "fill", strokeWidth: 2 }),
      Plot.dot(shown, { x: "value", y: "what", fill: "fill", r: 5, className: "marks" }),
      Plot.text(shown, { x: "value", y: "what", text: (m: Mark) => nice(m.value, 2), dx: 10, textAnchor: "start", fill: colour.ink }),
    ],
    color: { type: "identity" },
  }));
}

export const certificate: Panel = {
  id: "certificate",
  title: "The certificate",
  wide: true,
  inputs: (report) => [report.certificate],
  see: ({ certificate: c }) => c ? `${c.why.charAt(0).toUpperCase()}${c.why.slice(1)}.`.replace(/\.\.$/, ".") : "",
  draw: (report) => {
    const c = report.certificate;
    if (!c) return null;
    const hints = c.hints.length > 0
      ? h("div", {}, h("h4", {}, "What would help"), h("ul", {}, ...c.hints.map((hint) => h("li", {}, math(hint))))) : null;
    return h("div", { class: "side-by-side" },
      h("table", { class: "facts" }, h("tbody", {}, ...factsOf(report).map(([what, value]) =>
        h("tr", {}, h("th", { scope: "row" }, what), h("td", {}, math(value)))))),
      h("div", {}, scale(c), hints));
  },
};
