import type { Report } from "../data.js";
import { chart, colour, Plot } from "../figure.js";
import { decade, nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Point { place: number; mse: number }

function points(report: Report): Point[] {
  return (report.anatomy?.swaps?.mse ?? []).flatMap((mse, i) => mse === null ? [] : [{ place: i + 1.5, mse }]);
}

export const swaps: Panel = {
  id: "swaps",
  title: "What an exchange of neighbours costs",
  inputs: (report) => [report.anatomy?.swaps, report.certificate],
  see: (report) => {
    const weakest = points(report).reduce<Point | null>((a, b) => a && a.mse <= b.mse ? a : b, null);
    const rows = report.anatomy?.swaps?.rows.toLocaleString("en");
    return weakest
      ? `The error (on ${rows} rows) if two neighbouring blocks change places. The cheapest mistake, blocks ${weakest.place - 0.5} and ${weakest.place + 0.5}, costs ${nice(weakest.mse)}; the line is the error as it stands.`
      : "";
  },
  draw: (report) => {
    const least = 1e-18, own = Math.max(report.certificate?.mse ?? 0, least);
    const list = points(report).map((point) => ({ ...point, mse: Math.max(point.mse, least) }));
    if (list.length === 0) return null;
    return chart({
      label: "Error of every exchange of neighbours, by place",
      x: { label: "between blocks", inset: 4 },
      y: { type: "log", label: "error", tickFormat: decade, ticks: 6, grid: true },
      marks: [
        Plot.ruleY([own], { stroke: colour.contrast, strokeWidth: 1.5 }),
        Plot.dot(list, {
          x: "place", y: "mse", fill: colour.accent, r: list.length > 120 ? 1.8 : 3, ariaLabel: "swaps",
          title: (p: Point) => `blocks ${p.place - 0.5} and ${p.place + 0.5}: ${nice(p.mse)}`,
        }),
      ],
    });
  },
};
