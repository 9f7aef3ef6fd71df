// A panel is a pure function of the report, whole or in part: where it has what it needs it gives a
// drawing, where not it gives nothing. A page mounts panels once and updates them as often as it
// likes: the finished report once, a running search whenever something is new. A panel is drawn again
// only if one of its inputs is another object than before.
import { h, math } from "./dom.js";
import type { Report } from "./data.js";

export interface Panel {
  id: string;
  title: string;
  wide?: boolean;
  inputs(report: Report): unknown[];
  see(report: Report): string;                     // the sentence that says what to see
  draw(report: Report): Node | null;               // null: not enough of the report is there
}

export interface Section {
  id: string;
  title(report: Report): string;
  panels: Panel[];
}

class Mounted {
  readonly element: HTMLElement;
  private readonly see: HTMLElement;
  private readonly body: HTMLElement;
  private inputs: unknown[] = [];

  constructor(private readonly panel: Panel) {
    const title = `${panel.id}-title`;
    this.see = h("p", { class: "see" });
    this.body = h("div", { class: "body" });
    this.element = h("article", {
      id: panel.id, class: panel.wide ? "panel wide" : "panel", "data-panel": panel.id,
      "aria-labelledby": title, hidden: true,
    }, h("h3", { id: title }, math(panel.title)), this.see, this.body);
  }

  update(report: Report): void {
    const inputs = this.panel.inputs(report);
    const same = inputs.length === this.inputs.length && inputs.every((each, i) => each === this.inputs[i]);
    if (same) return;
    this.inputs = inputs;
    const drawing = inputs.some((each) => each === undefined) ? null : this.panel.draw(report);
    this.element.hidden = drawing === null;
    if (drawing === null) return;
    this.see.replaceChildren(math(this.panel.see(report)));
    this.body.replaceChildren(drawing);
  }
}

// The sections of a page, empty ones hidden; `update` fills in what the report has.
export function mount(root: HTMLElement, sections: Section[]): { update(report: Report): void } {
  const mounted = sections.map((section) => {
    const panels = section.panels.map((panel) => new Mounted(panel));
    const heading = h("h2", { id: `${section.id}-title` });
    const element = h("section", { id: section.id, "aria-labelledby": heading.id, hidden: true }, heading,
      h("div", { class: "grid" }, ...panels.map((panel) => panel.element)));
    root.append(element);
    return { element, panels, name: (report: Report) => heading.replaceChildren(section.title(report)) };
  });
  return {
    update(report) {
      for (const { element, panels, name } of mounted) {
        name(report);
        element.hidden = false;  // what is hidden has no width to draw to
        panels.forEach((panel) => panel.update(report));
        element.hidden = panels.every((panel) => panel.element.hidden);
      }
    },
  };
}
