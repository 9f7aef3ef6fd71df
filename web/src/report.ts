// The report page: one finished solution.
import { embedded } from "./data.js";
import type { Report } from "./data.js";
import { h } from "./dom.js";
import { count } from "./format.js";
import { mount } from "./panel.js";
import { verdict } from "./panels/verdict.js";
import { sections } from "./sections.js";
import { themeToggle } from "./theme.js";

function subtitle(report: Report): string {
  const puzzle = report.puzzle;
  return puzzle ? `${count(puzzle.pieces.length, "piece")} of a residual net, ${puzzle.rows > 0 ? `${count(puzzle.rows, "row")} of data` : "no data"}` : "";
}

function show(page: HTMLElement, report: Report): void {
  const main = h("main", {}, verdict(report));
  page.append(
    h("header", {}, h("p", { class: "wordmark" }, "humpty"), h("p", { class: "subtitle" }, subtitle(report)), themeToggle()),
    main,
    h("footer", {}, `Made by humpty ${report.version ?? ""}. This file is whole: it fetches nothing and sends nothing.`));
  const mounted = mount(main, sections);
  mounted.update(report);
  const links = sections.filter(({ id }) => !document.getElementById(id)?.hidden)
    .map(({ id, title }) => h("a", { href: `#${id}` }, title(report)));
  main.querySelector(".verdict")?.after(h("nav", { "aria-label": "Sections" }, ...links));
}

const page = document.getElementById("page");
const report = embedded();
if (page && report) show(page, report);
else if (page) page.append(h("main", {}, h("p", {}, "This page holds no solution. humpty solve PATH --report FILE writes one that does.")));
