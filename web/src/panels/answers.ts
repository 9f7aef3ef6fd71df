// What the net answers beside what it should, and the difference.
import type { Answers, Report } from "../data.js";
import { chart, colour, Plot } from "../figure.js";
import { count, nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Point { target: number; predicted: number; residual: number; row: number; output: number }

function points(answers: Answers): Point[] {
  return answers.target.flatMap((target, i) => {
    const residual = answers.residual[i];
    return target === null || residual === null || residual === undefined ? []
      : [{ target, residual, predicted: target + residual, row: answers.row[i] ?? 0, output: answers.output[i] ?? 0 }];
  });
}

function shownOf(answers: Answers): string {
  const shown = answers.target.length;
  return shown < answers.of ? `${shown.toLocaleString("en")} of ${count(answers.of, "answer")} are shown, the worst among them.` : "";
}

const title = (p: Point) => `row ${p.row + 1}: target ${nice(p.target)}, answer ${nice(p.predicted)}, difference ${nice(p.residual)}`;

export const predictions: Panel = {
  id: "predictions",
  title: "Answer against target",
  inputs: (report) => [report.anatomy?.answers],
  see: (report: Report) => {
    const a = report.anatomy?.answers;
    return a ? (report.verdict === "unsolved"
      ? `A net that is whole would put every dot on the line. ${shownOf(a)}`
      : `Every dot is a row; all lie on the line where the answer is the target. ${shownOf(a)}`) : "";
  },
  draw: ({ anatomy }) => {
    const list = anatomy?.answers ? points(anatomy.answers) : [];
    if (list.length === 0) return null;
    const low = list.reduce((m, p) => Math.min(m, p.target), Infinity), high = list.reduce((m, p) => Math.max(m, p.target), -Infinity);
    return chart({
      label: "The net's answers against the target",
      x: { label: "target", nice: true },
      y: { label: "answer", nice: true, grid: true },
      marks: [
        Plot.line([[low, low], [high, high]], { stroke: colour.contrast, strokeWidth: 1 }),
        Plot.dot(list, { x: "target", y: "predicted", fill: colour.accent, fillOpacity: 0.5, r: 2, className: "marks", title }),
      ],
    });
  },
};

export const residuals: Panel = {
  id: "residuals",
  title: "What is left over",
  inputs: (report) => [report.anatomy?.answers],
  see: (report: Report) => {
    const a = report.anatomy?.answers;
    const worst = a ? points(a).reduce((m, p) => Math.max(m, Math.abs(p.residual)), 0) : 0;
    return report.verdict === "unsolved"
      ? `The difference between answer and target: up to ${nice(worst)}.`
      : `The difference between answer and target in float32, as the search computes it: up to ${nice(worst)}` +
        `${report.certificate ? ` (${nice(report.certificate.max_abs_error)} in float64, as the certificate has it)` : ""}. ` +
        "Look at the scale: what is left is rounding, and looks like it.";
  },
  draw: ({ anatomy }) => {
    const list = anatomy?.answers ? points(anatomy.answers) : [];
    if (list.length === 0) return null;
    return chart({
      label: "Difference between answer and target, against the target",
      marginLeft: 64,
      x: { label: "target", nice: true },
      y: { label: "answer − target", grid: true, ticks: 5, tickFormat: (value: number) => nice(value, 2) },
      marks: [
        Plot.ruleY([0], { stroke: colour.contrast }),
        Plot.dot(list, { x: "target", y: "residual", fill: colour.accent, fillOpacity: 0.5, r: 2, className: "marks", title }),
      ],
    });
  },
};
