// The table of scores that paired the pieces: as it was found, and with the pairs on the diagonal.
import type { PairingMap, Report } from "../data.js";
import { bytes } from "../data.js";
import { h } from "../dom.js";
import { nice } from "../format.js";
import { heatBar, heatmap } from "../heatmap.js";
import type { Panel } from "../panel.js";

export function scoreName(signal: string): string {
  return signal === "ratio" ? "ratio d = |tr(W_out·W_in)| / ‖W_out·W_in‖" : "score of all signals together";
}

function map(pairing: PairingMap, values: string, title: string, tell: (row: number, column: number, score: string) => string): HTMLElement {
  const cells = bytes(values);
  const note = h("figcaption", {}, title);
  const score = (value: number) => value === 255 ? "widths differ"
    : nice(pairing.low + (value / 254) * (pairing.high - pairing.low));
  return h("figure", { class: "map" }, heatmap({
    values: cells, side: pairing.side, ramp: "--heat", label: title,
    share: (value) => value === 255 ? null : value / 254,
    tell: (row, column) => tell(row, column, score(cells[row * pairing.side + column] ?? 255)),
  }, note), note);
}

function ids(report: Report, role: string): number[] {
  return (report.puzzle?.pieces ?? []).filter((piece) => piece.role === role).map((piece) => piece.id);
}

export const pairing: Panel = {
  id: "pairing",
  title: "Who belongs to whom",
  wide: true,
  inputs: (report) => [report.anatomy?.pairing, report.blocks],
  see: ({ anatomy }) => {
    const p = anatomy?.pairing;
    if (!p) return "";
    const binned = p.side < p.pieces ? ` Every cell stands for about ${Math.round(p.pieces / p.side)} pieces each way, by its brightest.` : "";
    return `Each row is an input piece, each column an output piece, the colour their ${scoreName(p.signal)}. Left as the files came: ` +
      "partners are scattered. Right with each block's two pieces at the same place: partners that the weights give away form the diagonal." + binned;
  },
  draw: (report) => {
    const p = report.anatomy?.pairing;
    if (!p) return null;
    const expand = ids(report, "expand"), contract = ids(report, "contract"), blocks = report.blocks ?? [];
    const whole = p.side === p.pieces;
    return h("div", { class: "maps" },
      map(p, p.before, "Before: by id", (row, column, score) =>
        `${whole ? `in ${expand[row]}, out ${contract[column]}: ` : ""}${score}`),
      map(p, p.after, "After matching: by recovered place", (row, column, score) =>
        `${whole ? `in ${blocks[row]?.in ?? "?"}, out ${blocks[column]?.out ?? "?"}: ` : ""}${score}`),
      h("div", { class: "scale", role: "img", "aria-label": `Colours from ${nice(p.low)} to ${nice(p.high)}` },
        h("span", {}, nice(p.low)), heatBar(), h("span", {}, nice(p.high))));
  },
};
