// The report page: one finished solution.
import type { Report } from "./data.js";
import { count } from "./format.js";
import { showFinished } from "./frame.js";
import { verdict } from "./panels/verdict.js";
import { sections } from "./sections.js";

function subtitle({ puzzle }: Report): string {
  return puzzle ? `${count(puzzle.pieces.length, "piece")} of a residual net, ${puzzle.rows > 0 ? `${count(puzzle.rows, "row")} of data` : "no data"}` : "";
}

showFinished({
  subtitle, first: verdict, sections,
  empty: "This page holds no solution. humpty solve PATH --report FILE writes one that does.",
});
