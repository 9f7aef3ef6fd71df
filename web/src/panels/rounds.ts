import type { Report } from "../data.js";
import { chart, colour, errorAxis, Plot } from "../figure.js";
import { count, nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Point { round: number; mse: number; shown: number; rows: number; moves: number }

// A logarithm has no place for zero: an error of nothing is drawn at the floor of the axis.
function points(report: Report): Point[] {
  const seed = report.seed_mse ? [{ swaps: 0, mse: report.seed_mse, rows: 0 }] : [];
  const all = [...seed, ...(report.rounds ?? [])].map((round, i) => ({
    round: i + 1 - seed.length, mse: round.mse ?? NaN, rows: round.rows, moves: round.swaps }))
    .filter((point) => Number.isFinite(point.mse));
  const positive = all.map((point) => point.mse).filter((mse) => mse > 0);
  const least = positive.length > 0 ? Math.min(...positive, 1e-12) : 1e-12;
  return all.map((point) => ({ ...point, shown: Math.max(point.mse, least) }));
}

export const rounds: Panel = {
  id: "rounds",
  title: "The error falls",
  inputs: (report) => [report.rounds, report.seed_mse],
  see: ({ rounds: list }) => {
    const rows = [...new Set((list ?? []).map((round) => round.rows))];
    return "Mean square error after each round of moves; round 0 is the first guess." +
      (rows.length > 0 ? ` It is measured on the rows that decide: ${rows.map((n) => n.toLocaleString("en")).join(", then ")}.` : "");
  },
  draw: (report) => {
    const list = points(report);
    if (list.length === 0) return null;
    return chart({
      label: "Error by round",
      x: { label: "round", ticks: list.length < 12 ? list.map((p) => p.round) : 8, tickFormat: "d", inset: 8 },
      y: { ...errorAxis(list.map((p) => p.shown)), label: "error", inset: 6 },
      marks: [
        Plot.lineY(list, { x: "round", y: "shown", stroke: colour.accent, strokeWidth: 1.5 }),
        Plot.dot(list, {
          x: "round", y: "shown", fill: colour.accent, r: list.length > 80 ? 2 : 3.5, className: "marks",
          title: (p: Point) => `round ${p.round}: ${count(p.moves, "move")}, error ${nice(p.mse)}`,
        }),
      ],
    });
  },
};
