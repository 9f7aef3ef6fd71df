// What the files are, in words: what was recognised, what is missing, what to do about it.
import type { PuzzleInfo } from "../data.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import type { Inspection } from "./protocol.js";

interface Shaped { role: string | null; shape: [number, number] }

// "97 pieces: 48 expand (96×48), 48 contract (48×96), 1 head (1×48)"
function inWords(pieces: Shaped[]): string {
  const kinds = new Map<string, number>();
  for (const { role, shape } of pieces) {
    const kind = `${role ?? "of unknown role"} (${shape.join("×")})`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const some = [...kinds].slice(0, 6).map(([kind, n]) => `${n} ${kind}`).join(", ");
  return `${count(pieces.length, "piece")}: ${some}${kinds.size > 6 ? ", …" : ""}`;
}

export function recognised(puzzle: PuzzleInfo): string[] {
  const names = (list: string[]) => list.join(" … ");
  return [inWords(puzzle.pieces),
    puzzle.rows === 0 ? "no rows" : `${count(puzzle.rows, "row")}, ${count(puzzle.features, "feature")} ` +
      `(${names(puzzle.feature_names)}), target ${names(puzzle.target_names)}`];
}

const few = 6;

function list(lines: string[], kind: string): HTMLElement | null {
  if (lines.length === 0) return null;
  const rest = lines.length - few;
  return h("ul", { class: kind }, ...lines.slice(0, few).map((line) => h("li", {}, line)),
    rest > 0 ? h("li", {}, `and ${rest} more`) : null);
}

function advice(inspection: Inspection, line: string): string {
  const { pieces, tables, files } = inspection;
  const broken = files.filter((file) => file.error !== null);
  if (broken.length > 0)
    return "Drop a sound copy under the same name, it takes this one's place; or start over without it.";
  if (pieces.length === 0) return "Drop the pieces as well: a folder of them, one file with all of them, or a zip.";
  if (tables.length === 0) return "Drop the rows as well: a CSV with the features and the net's answers (pred). They are added to what is here.";
  if (/--\w/.test(line)) return "What the line calls by two dashes is below, under Options.";
  return "Add what is missing by dropping it here too, or start over.";
}

export function explained(inspection: Inspection, line: string): HTMLElement {
  const { pieces, tables, files } = inspection;
  const good: string[] = [], bad: string[] = [];
  if (pieces.length > 0) good.push(inWords(pieces.map(({ role, weight }) => ({ role, shape: weight.shape }))));
  for (const table of tables)
    if (table.error === null) good.push(`${count(table.rows, "row")} in ${table.file}`);
    else bad.push(table.error);
  for (const file of files) if (file.error !== null) bad.push(file.error);
  return h("div", { class: "explained" },
    good.length > 0 ? h("h3", {}, "What there is") : null, list(good, "good"),
    bad.length > 0 ? h("h3", {}, "What is wrong") : null, list(bad.filter((each) => each !== line), "bad"),
    h("h3", {}, "What to do"), h("p", {}, advice(inspection, line)));
}
