// A table that is shown whole. On a narrow screen its rows are stacked, each value behind its cell's label.
import { h } from "./dom.js";

export function valueTable(heads: string[], rows: HTMLElement[]): HTMLElement {
  return h("div", { class: "whole" }, h("table", { class: "values" },
    h("thead", {}, h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows)));
}
