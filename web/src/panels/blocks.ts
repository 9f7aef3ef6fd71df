// One number per block, along the order: small charts that share their axis.
import type { Report } from "../data.js";
import { chart, colour, Plot } from "../figure.js";
import { nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Point { place: number; value: number }

interface Series {
  id: string;
  title: string;
  see: string;
  axis: string;
  percent?: boolean;
  height?: number;
  inputs(report: Report): unknown[];
  values(report: Report): Point[];
}

function byPlace(values: (number | null)[] | undefined): Point[] {
  return (values ?? []).flatMap((value, i) => value === null ? [] : [{ place: i + 1, value }]);
}

function panel(series: Series): Panel {
  return {
    id: series.id,
    title: series.title,
    inputs: series.inputs,
    see: (report) => series.see.replace("{rows}", (report.anatomy?.motions?.rows ?? 0).toLocaleString("en")),
    draw: (report) => {
      const points = series.values(report);
      if (points.length === 0) return null;
      const highest = points.reduce((m, p) => Math.max(m, p.value), 0), scale = series.percent ? 100 : 1;
      return chart({
        label: `${series.title}, by recovered place`,
        height: series.height ?? 190,
        x: { label: "block, in the recovered order", inset: 6, tickFormat: "d" },
        y: { label: series.axis, grid: true, ticks: 4, domain: [0, highest * scale || 1], percent: series.percent ?? false },
        marks: [
          Plot.lineY(points, { x: "place", y: "value", stroke: colour.accent, strokeOpacity: 0.45 }),
          Plot.dot(points, {
            x: "place", y: "value", fill: colour.accent, r: points.length > 120 ? 1.8 : 3, className: "marks",
            title: (p: Point) => `block ${p.place}: ${series.percent ? `${nice(100 * p.value)} %` : nice(p.value)}`,
          }),
        ],
      });
    },
  };
}

const motions = (report: Report) => [report.anatomy?.motions];

export const deltaNorm = panel({
  id: "delta-norm", title: "Delta-norm", axis: "mean ‖r(x)‖",
  see: "How far each block, alone, moves the raw input (mean over {rows} rows): the paper's first guess sorts by this. A rising line is why that works.",
  inputs: motions, values: (report) => byPlace(report.anatomy?.motions?.delta_norm),
});

export const relative = panel({
  id: "relative", title: "‖r‖ / ‖x‖ in the running net", axis: "mean ‖r‖ / ‖x‖",
  see: "How much each block adds to the stream that reaches it. Small steps nearly commute, which is what makes neighbours hard to tell apart.",
  inputs: motions, values: (report) => byPlace(report.anatomy?.motions?.relative),
});

export const active = panel({
  id: "active", title: "Active hidden units", axis: "% above zero", percent: true,
  see: "The share of hidden units that answer above zero in the running net. The paper's theory takes it to be one half.",
  inputs: motions, values: (report) => byPlace(report.anatomy?.motions?.active),
});

export const outNorm = panel({
  id: "out-norm", title: "‖W_out‖", axis: "Frobenius norm",
  see: "The size of each output matrix: the paper's other first guess, which needs no data.",
  inputs: (report) => [report.anatomy?.out_norm], values: (report) => byPlace(report.anatomy?.out_norm),
});

export const effectiveRank = panel({
  id: "effective-rank", title: "Effective rank of W_out · W_in", axis: "effective rank", height: 260,
  see: "How many directions each block really uses: the exponential of the entropy of its normalised singular values (Roy and Vetterli, 2007).",
  inputs: (report) => [report.anatomy?.spectra],
  values: (report) => (report.anatomy?.spectra ?? []).flatMap((s) =>
    s.effective_rank === null ? [] : [{ place: s.place + 1, value: s.effective_rank }]),
});
