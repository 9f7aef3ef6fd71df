// The paper's page: its figures, its numbers beside ours, and what it asks.
import { embedded } from "./data.js";
import { h } from "./dom.js";
import { mount } from "./panel.js";
import type { Section } from "./panel.js";
import { active, deltaNorm, effectiveRank, relative } from "./panels/blocks.js";
import { histogram } from "./panels/histogram.js";
import { margins } from "./panels/margins.js";
import { pairing } from "./panels/pairing.js";
import { spectra } from "./panels/spectra.js";
import type { PaperReport } from "./paper/data.js";
import * as panels from "./paper/panels.js";
import { summary, values } from "./paper/values.js";
import { themeToggle } from "./theme.js";

const sections: Section[] = [
  { id: "puzzle", title: () => "The puzzle", panels: [panels.architecture, panels.features, panels.outputs] },
  { id: "pairs", title: () => "Pairing", panels: [pairing, histogram, margins, panels.rightAndWrong, panels.productsByDelta] },
  { id: "ordering", title: () => "Ordering", panels: [panels.progression, panels.routes, panels.commute] },
  { id: "questions", title: () => "What the paper asks", panels: [panels.seeds, panels.landscape, panels.correlations] },
  { id: "theory", title: () => "Why a negative diagonal?", panels: [panels.isometry, active, panels.halfTrace, panels.claim, panels.trained, panels.trainedProducts] },
  { id: "blocks", title: () => "Blocks by recovered place", panels: [spectra, effectiveRank, deltaNorm, relative] },
  values,
];

function show(page: HTMLElement, report: PaperReport): void {
  const main = h("main", {}, summary(report));
  page.append(
    h("header", {}, h("p", { class: "wordmark" }, "humpty"), h("p", { class: "subtitle" }, "the paper, number by number"), themeToggle()),
    main,
    h("footer", {}, `Made by humpty ${report.version ?? ""}. This file is whole: it fetches nothing and sends nothing.`));
  mount(main, sections).update(report);
  const links = sections.filter(({ id }) => !document.getElementById(id)?.hidden)
    .map(({ id, title }) => h("a", { href: `#${id}` }, title(report)));
  main.querySelector(".verdict")?.after(h("nav", { "aria-label": "Sections" }, ...links));
}

const page = document.getElementById("page");
const report = embedded();
if (page && report) show(page, report);
else if (page) page.append(h("main", {}, h("p", {}, "This page holds no study. humpty paper PATH -o DIR writes one that does.")));
