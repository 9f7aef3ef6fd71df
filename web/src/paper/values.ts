// Every value beside what the paper prints, and first of all those that differ.
import { h } from "../dom.js";
import { nice } from "../format.js";
import type { Section } from "../panel.js";
import { valueTable } from "../table.js";
import type { Entry, PaperReport, Value } from "./data.js";

const few = 8;

function short(value: Value): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return nice(value, 5);
  if (value.length <= few) return value.map((each) => nice(each, 5)).join(", ");
  const known = value.flatMap((each) => each === null ? [] : [each]);
  return `${value.length} values from ${nice(Math.min(...known))} to ${nice(Math.max(...known))}`;
}

const mark = { same: "✓ same", differs: "≠ differs", "not in paper": "" };

function row(entry: Entry): HTMLElement {
  return h("tr", { class: entry.status.replaceAll(" ", "-"), "data-entry": entry.id },
    h("td", {}, entry.what, h("code", { class: "id" }, entry.id)),
    h("td", { class: typeof entry.ours === "string" ? "text" : "number", "data-label": "here" }, short(entry.ours)),
    h("td", { class: "number", "data-label": "paper" }, entry.printed), h("td", {}, mark[entry.status]));
}

function table(entries: Entry[]): HTMLElement {
  return valueTable(["", "here", "paper", ""], entries.map(row));
}

function groups<Key>(entries: Entry[], key: (entry: Entry) => Key): [Key, Entry[]][] {
  const found = new Map<Key, Entry[]>();
  for (const entry of entries) found.set(key(entry), [...(found.get(key(entry)) ?? []), entry]);
  return [...found];
}

// Those that differ, by reason.
function differences(entries: Entry[]): HTMLElement {
  return h("div", {}, h("h2", { id: "differs" }, "What differs from print"), ...groups(entries, (entry) => entry.why)
    .flatMap(([why, some]) => [h("p", { class: "reason" }, `${why.charAt(0).toUpperCase()}${why.slice(1)}.`), table(some)]));
}

const figureOf = (what: string, value: number, note: string) =>
  h("div", {}, h("dt", {}, what), h("dd", {}, value.toLocaleString("en")), h("dd", { class: "small" }, note));

// The head of the page: how much of the paper comes out.
export function summary(report: PaperReport): HTMLElement {
  const entries = report.paper?.entries ?? [];
  const with_ = (status: Entry["status"]) => entries.filter((entry) => entry.status === status);
  const published = report.paper?.published ?? false;
  const differs = with_("differs");
  return h("section", { class: `verdict ${published ? "exact" : "ambiguous"}` },
    h("p", { class: "badge" }, "I Dropped a Neural Net"),
    h("p", { class: "words" }, published
      ? "Every value that the paper prints, computed again from the published pieces and rows; and answers to what it leaves open."
      : "The paper's tables, figures and theory on another net: nothing here is compared with what it prints."),
    report.verdict === "exact" ? null : h("p", { class: "note" }, `The order is ${report.verdict ?? "unknown"}: whatever depends on it is a guess.`),
    report.paper?.stopped ? h("p", { class: "note" }, "Stopped before the end: sections are missing.") : null,
    h("dl", { class: "figures" },
      ...(published ? [figureOf("As printed", with_("same").length, "round to the paper's digits"), figureOf("Otherwise", differs.length, "each with a reason, below")] : []),
      figureOf("Not in the paper", with_("not in paper").length, "its questions, and what its theory rests on")),
    differs.length === 0 ? null : differences(differs));
}

// All of them, a fold per section of the paper.
export const values: Section = {
  id: "values", title: () => "All values",
  panels: [{
    id: "all-values", title: "Here, and in the paper", wide: true,
    inputs: (report: PaperReport) => [report.paper],
    see: () => "The same as paper.json, by section of the paper.",
    draw: (report: PaperReport) => h("div", {}, ...groups(report.paper?.entries ?? [], (entry) => entry.section)
      .map(([section, entries]) => h("details", {}, h("summary", {}, `${section} (${entries.length})`), table(entries)))),
  }],
};
