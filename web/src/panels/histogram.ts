import type { Histogram } from "../data.js";
import { h } from "../dom.js";
import { chart, colour, legend, Plot } from "../figure.js";
import { count, nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Bar { from: number; to: number; value: number; total: number; fill: string }

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

// Shares of each kind, so that a few dozen pairs are seen beside thousands of strangers.
function bars(histogram: Histogram): Bar[] {
  const step = (histogram.high - histogram.low) / histogram.matched.length || 1;
  const kind = (values: number[], fill: string) => values.flatMap((n, i) => n === 0 ? [] : [{
    from: histogram.low + i * step, to: histogram.low + (i + 1) * step, value: n, total: sum(values), fill }]);
  return [...kind(histogram.unmatched, colour.muted), ...kind(histogram.matched, colour.accent)];
}

function lowest(histogram: Histogram, values: number[]): number {
  return histogram.low + (values.findIndex((n) => n > 0) / values.length) * (histogram.high - histogram.low);
}

function highest(histogram: Histogram, values: number[]): number {
  return histogram.low + ((values.length - [...values].reverse().findIndex((n) => n > 0)) / values.length) * (histogram.high - histogram.low);
}

export const histogram: Panel = {
  id: "histogram",
  title: "Pairs and strangers",
  inputs: (report) => [report.anatomy?.histogram],
  see: ({ anatomy }) => {
    const d = anatomy?.histogram;
    if (!d) return "";
    if (d.high === d.low) return "All scores are the same: the weights say nothing about who belongs to whom.";
    const apart = sum(d.unmatched) > 0 && lowest(d, d.matched) >= highest(d, d.unmatched) - 1e-12;
    return apart
      ? `The scores of the ${count(sum(d.matched), "pair")} lie apart from those of the ${count(sum(d.unmatched), "stranger")}: the wider the gap, the surer the pairing.`
      : `Pairs (${sum(d.matched).toLocaleString("en")}) and strangers (${sum(d.unmatched).toLocaleString("en")}) overlap: the score of a pair alone does not tell it.`;
  },
  draw: ({ anatomy }) => {
    const d = anatomy?.histogram;
    if (!d) return null;
    const ratio = anatomy?.pairing?.signal !== "ensemble";
    return h("div", {}, chart({
      label: "Histogram of the scores of matched and unmatched pairs",
      x: { label: ratio ? "d" : "score" },
      y: { label: "% of its kind", percent: true, grid: true },
      marks: [
        Plot.rect(bars(d), {
          x1: "from", x2: "to", y1: 0, y2: (bar: Bar) => bar.value / bar.total, fill: (bar: Bar) => bar.fill, fillOpacity: 0.85, inset: 0.5,
          className: "marks", title: (bar: Bar) => `${nice(bar.from)} to ${nice(bar.to)}: ${bar.value} of ${bar.total}`,
        }),
        Plot.ruleY([0], { stroke: colour.rule }),
      ],
      color: { type: "identity" },
    }), legend([colour.accent, "matched"], [colour.muted, "unmatched"]));
  },
};
