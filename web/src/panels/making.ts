// Time and provenance.
import type { Report } from "../data.js";
import { h, math } from "../dom.js";
import { chart, colour, Plot } from "../figure.js";
import { count, duration } from "../format.js";
import type { Panel } from "../panel.js";

interface Stage { stage: string; ms: number }

const stages = (report: Report): Stage[] => Object.entries(report.timings_ms ?? {}).map(([stage, ms]) => ({ stage, ms }));

export const timings: Panel = {
  id: "timings",
  title: "Where the time went",
  inputs: (report) => [report.timings_ms],
  see: (report) => `${duration(stages(report).reduce((sum, each) => sum + each.ms, 0))} in all, by stage.`,
  draw: (report) => {
    const list = stages(report);
    if (list.length === 0) return null;
    return chart({
      label: "Time of every stage",
      height: 50 + 28 * list.length,
      marginLeft: 64,
      marginRight: 64,
      x: { label: "milliseconds", grid: true, ticks: 4 },
      y: { label: null, domain: list.map((each) => each.stage), tickSize: 0 },
      marks: [
        Plot.barX(list, { y: "stage", x: "ms", fill: colour.accent, className: "marks", insetTop: 3, insetBottom: 3 }),
        Plot.text(list, { y: "stage", x: "ms", text: (each: Stage) => duration(each.ms), dx: 6, textAnchor: "start", fill: colour.ink }),
      ],
    });
  },
};

function facts(report: Report): [string, string][] {
  const puzzle = report.puzzle;
  const list: [string, string][] = [];
  if (report.provenance?.command) list.push(["Command", report.provenance.command]);
  if (report.provenance?.inputs.length) list.push(["Input", report.provenance.inputs.join(", ")]);
  if (puzzle) {
    list.push(["Net", `${count(report.blocks?.length ?? 0, "block")}, width ${puzzle.features}, hidden ${puzzle.hidden.join(", ")}, ` +
      `${count(puzzle.outputs, "output")}, ${report.activation ?? ""}`]);
    list.push(["Data", puzzle.rows === 0 ? "none" : `${count(puzzle.rows, "row")}, features ${puzzle.feature_names.join(" … ")}, target ${puzzle.target_names.join(" … ")} (${puzzle.target})`]);
  }
  if (report.certificate?.pieces_sha256) list.push(["Pieces, SHA-256", report.certificate.pieces_sha256]);
  if (report.certificate?.rows_sha256) list.push(["Rows, SHA-256", report.certificate.rows_sha256]);
  if (report.version) list.push(["Program", `humpty ${report.version}`]);
  return list;
}

function listed(title: string, lines: string[] | undefined): HTMLElement | null {
  return lines && lines.length > 0
    ? h("details", {}, h("summary", {}, `${title} (${lines.length})`), h("ol", {}, ...lines.map((line) => h("li", {}, math(line))))) : null;
}

export const provenance: Panel = {
  id: "provenance",
  title: "What this was made from",
  inputs: (report) => [report.version, report.puzzle],
  see: () => "Whoever has the same files and this version gets the same answer, at any number of threads.",
  draw: (report) => h("div", {},
    h("table", { class: "facts" }, h("tbody", {}, ...facts(report).map(([what, value]) =>
      h("tr", {}, h("th", { scope: "row" }, what), h("td", {}, value))))),
    listed("What was guessed in reading", report.notes),
    listed("What the search tried", report.story)),
};

export const salvage: Panel = {
  id: "salvage",
  title: "What was left out",
  wide: true,
  inputs: (report) => [report.salvage],
  see: () => "The set was damaged: this is what belongs together, and what is to be thought of the rest.",
  draw: ({ salvage: found }) => found ? h("div", {},
    ...found.remarks.map((remark) => h("p", {}, remark)),
    found.left_out.length > 0 ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Pieces left out" },
      h("table", { class: "list" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "piece"), h("th", { scope: "col" }, "why"))),
        h("tbody", {}, ...found.left_out.map(({ piece, why }) => h("tr", {}, h("td", { class: "number" }, piece), h("td", {}, why)))))) : null) : null,
};
