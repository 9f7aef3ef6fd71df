// The frame around every page; and the whole of a page that holds something finished.
import { embedded } from "./data.js";
import type { Report } from "./data.js";
import { h } from "./dom.js";
import { mount } from "./panel.js";
import type { Section } from "./panel.js";
import { themeToggle } from "./theme.js";

export function header(subtitle: string): HTMLElement {
  return h("header", {}, h("p", { class: "wordmark" }, "humpty"), h("p", { class: "subtitle" }, subtitle), themeToggle());
}

interface Finished {
  subtitle(report: Report): string;
  first(report: Report): HTMLElement;  // what is said before everything else
  sections: Section[];
  empty: string;                       // said where the page holds nothing
}

function fill(page: HTMLElement, report: Report, { subtitle, first, sections }: Finished): void {
  const said = first(report), main = h("main", {}, said);
  page.append(header(subtitle(report)), main,
    h("footer", {}, `Made by humpty ${report.version ?? ""}. This file is whole: it fetches nothing and sends nothing.`));
  mount(main, sections).update(report);
  const links = sections.filter(({ id }) => !document.getElementById(id)?.hidden)
    .map(({ id, title }) => h("a", { href: `#${id}` }, title(report)));
  said.after(h("nav", { "aria-label": "Sections" }, ...links));
}

export function showFinished(what: Finished): void {
  const page = document.getElementById("page"), report = embedded();
  if (page && report) fill(page, report, what);
  else page?.append(h("main", {}, h("p", {}, what.empty)));
}
