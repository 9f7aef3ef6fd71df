import type { Report } from "../data.js";
import { chart, colour, errorAxis, Plot } from "../figure.js";
import { nice } from "../format.js";
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
    if (!weakest) return "";
    const what = `The error (on ${report.anatomy?.swaps?.rows.toLocaleString("en")} rows) if two neighbouring blocks change places; ` +
      "the line is the error of the arrangement as it is.";
    const pair = `blocks ${weakest.place - 0.5} and ${weakest.place + 0.5}`;
    if (report.verdict === "unsolved") return `${what} Dots below it are exchanges that would help a little.`;
    return weakest.mse > 2 * (report.certificate?.mse ?? 0)
      ? `${what} The cheapest of these exchanges, ${pair}, would cost ${nice(weakest.mse)}; the nearest of all rivals is the certificate's.`
      : `${what} Some exchanges, such as ${pair}, cost nothing that these rows show.`;
  },
  draw: (report) => {
    const own = report.certificate?.mse || 1e-18;
    const list = points(report).map((point) => ({ ...point, mse: Math.max(point.mse, own / 10) }));
    if (list.length === 0) return null;
    return chart({
      label: "Error of every exchange of neighbours, by place",
      x: { label: "between blocks", inset: 4 },
      y: { ...errorAxis([own, ...list.map((p) => p.mse)]), label: "error", inset: 4 },
      marks: [
        Plot.ruleY([own], { stroke: colour.contrast, strokeWidth: 1.5 }),
        Plot.dot(list, {
          x: "place", y: "mse", fill: colour.accent, r: list.length > 120 ? 1.8 : 3, className: "marks",
          title: (p: Point) => `blocks ${p.place - 0.5} and ${p.place + 0.5}: ${nice(p.mse)}`,
        }),
      ],
    });
  },
};
