// The blocks as bars, each as high as the place where it ended: sorted when the order is found. A bar
// keeps its block, so that one sees it travel.
import type { Report, Step } from "../data.js";
import { h, svg } from "../dom.js";
import { count, nice } from "../format.js";
import { colour, legend } from "../figure.js";
import type { Panel } from "../panel.js";

const width = 960, height = 240;

class Bars {
  readonly element: SVGSVGElement;
  private readonly bars = new Map<number, SVGRectElement>();
  private readonly place: Map<number, number>;

  constructor(end: number[]) {
    const each = width / end.length, gap = end.length > 160 ? 0 : Math.min(2, each / 5);
    this.place = new Map(end.map((id, i) => [id, i]));
    this.element = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "bars", preserveAspectRatio: "none" });
    for (const [id, place] of this.place) {
      const tall = (height * (place + 1)) / end.length;
      const bar = svg("rect", { x: gap / 2, width: each - gap, y: height - tall, height: tall, "data-block": id },
        svg("title", {}, `block of piece ${id}: place ${place + 1}`));
      this.bars.set(id, bar);
      this.element.append(bar);
    }
  }

  show(order: number[]): number {
    let settled = 0;
    order.forEach((id, i) => {
      const bar = this.bars.get(id);
      if (!bar) return;
      const inPlace = this.place.get(id) === i;
      settled += Number(inPlace);
      bar.style.transform = `translateX(${(i * width) / order.length}px)`;
      bar.setAttribute("class", inPlace ? "settled" : "astray");
      bar.dataset["place"] = String(i);
    });
    return settled;
  }
}

function name(step: Step, report: Report): string {
  if (step.what === "seed") return `First guess${report.seed ? `: ${report.seed}` : ""}`;
  if (step.what === "ranking") return "After Bradley–Terry";
  if (step.what === "end") return report.verdict === "exact" ? "Solved" : report.verdict === "ambiguous" ? "One of those that fit" : "Best found";
  return `After round ${step.round}, ${count(step.moves ?? 0, "move")}`;
}

function player(report: Report, way: Step[]): HTMLElement {
  const bars = new Bars(way[way.length - 1]?.order ?? []);
  const caption = h("p", { class: "caption", "aria-live": "polite" });
  const slider = h("input", { type: "range", min: 0, max: way.length - 1, step: 1, value: 0, "aria-label": "Step of the search" });
  const play = h("button", { type: "button", class: "play" }, "▶ Play");
  let timer = 0;
  const show = (i: number) => {
    const step = way[i];
    if (!step) return;
    const settled = bars.show(step.order);
    caption.textContent = `${name(step, report)} · error ${nice(step.mse)} · ${settled} of ${step.order.length} in place`;
    bars.element.setAttribute("aria-label", caption.textContent);
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", caption.textContent);
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶ Play";
  };
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(slider.value) === way.length - 1) show(0);
    play.textContent = "❚❚ Pause";
    timer = window.setInterval(() => {
      const next = Number(slider.value) + 1;
      show(next);
      if (next >= way.length - 1) stop();
    }, Math.max(120, Math.min(900, 6000 / way.length)));
  });
  show(0);
  return h("div", {}, bars.element, caption, way.length > 1 ? h("div", { class: "controls" }, play, slider) : null);
}

export const order: Panel = {
  id: "order",
  title: "From the first guess to the order",
  wide: true,
  inputs: (report) => [report.anatomy?.way, report.verdict],
  see: ({ verdict, anatomy }) => anatomy?.way?.length === 1
    ? "Each bar is a block, as high as its place. The search left no steps on the way to show."
    : verdict === "unsolved"
    ? "Each bar is a block, as high as the place where it ended up. The last step is the best that was found, not the answer."
    : "Each bar is a block, as high as the place where it ended up: move the slider, or press play, and the search sorts them into a staircase.",
  draw: (report) => {
    const way = report.anatomy?.way;
    if (!way || way.length === 0) return null;
    return h("div", {}, player(report, way), legend([colour.accent, "where it ended up"], [colour.contrast, "not there yet"]));
  },
};
