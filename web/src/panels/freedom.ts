// What the rows leave open: pieces that may change places, blocks that may run either way.
import type { Freedom } from "../data.js";
import { h, math } from "../dom.js";
import { count } from "../format.js";
import type { Panel } from "../panel.js";

const few = 40;
const most = 1000;  // as many pairs as the JSON lists

// The first ones, the rest in a fold.
function listed(items: string[]): HTMLElement {
  const list = (some: string[]) => h("ul", { class: "chips" }, ...some.map((each) => h("li", {}, each)));
  return h("div", {}, list(items.slice(0, few)), items.length > few
    ? h("details", {}, h("summary", {}, `${(items.length - few).toLocaleString("en")} more`), list(items.slice(few))) : null);
}

function part(title: string, note: string, items: string[]): HTMLElement | null {
  return items.length === 0 ? null : h("div", {}, h("h4", {}, math(title)), h("p", { class: "note" }, math(note)), listed(items));
}

const members = (classes: number[][]) => classes.map((ids) => ids.join(", "));

export function remaining({ at_least, permutations }: Freedom): string {
  return `${at_least ? "at least " : ""}${permutations}`;
}

export const freedom: Panel = {
  id: "freedom",
  title: "What the rows leave open",
  wide: true,
  inputs: (report) => [report.certificate],
  see: ({ certificate }) => certificate?.freedom
    ? `${remaining(certificate.freedom)} permutations answer these rows alike; the one above is one of them. `.replace(/^a/, "A") +
      "Rows of another kind, or more digits, may tell them apart." : "",
  draw: ({ certificate }) => {
    const open = certificate?.freedom;
    if (!open) return null;
    const within = "Pieces in one box may change places with each other.";
    return h("div", {},
      part(`Interchangeable W_in: ${count(open.expand.length, "class", "classes")}`, within, members(open.expand)),
      part(`Interchangeable W_out: ${count(open.contract.length, "class", "classes")}`, within, members(open.contract)),
      part(`Blocks that commute: ${open.unordered.length < most ? "" : "at least "}${count(open.unordered.length, "pair")}`, "Named by their W_in: either may run first.",
        open.unordered.map(([a, b]) => `${a} and ${b}`)));
  },
};
