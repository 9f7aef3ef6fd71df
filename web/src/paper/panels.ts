// The paper's figures, and those for what it asks.
import type { Report } from "../data.js";
import { h, svg } from "../dom.js";
import { chart, colour, depth, errorAxis, legend, Plot } from "../figure.js";
import { count, nice } from "../format.js";
import { heatmap } from "../heatmap.js";
import type { Panel } from "../panel.js";
import { products } from "../panels/products.js";
import { valueTable } from "../table.js";
import { column, entry, figure, numbers, words } from "./data.js";
import type { Figure, PaperReport } from "./data.js";

// A panel of this page: the same, given the longer report.
function panel(of: Omit<Panel, "inputs" | "see" | "draw"> & {
  see(report: PaperReport): string;
  draw(report: PaperReport): Node | null;
}): Panel {
  return { ...of, inputs: (report: PaperReport) => [report.paper] };
}

function sentence(text: string): string {
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// ------------------------------------------------------------------------------ the puzzle

function box(x: number, y: number, width: number, text: string, kind = "box"): SVGElement {
  return svg("g", { class: kind },
    svg("rect", { x, y, width, height: 34, rx: 8 }),
    svg("text", { x: x + width / 2, y: y + 22, "text-anchor": "middle" }, text));
}

function drawing(report: Report): SVGElement {
  const puzzle = report.puzzle, d = puzzle?.features ?? 0, hidden = puzzle?.hidden.join(" or ") ?? "", o = puzzle?.outputs ?? 1;
  const line = (path: string) => svg("path", { d: path, class: "flow", "marker-end": "url(#arrow)" });
  return svg("svg", { viewBox: "0 0 720 250", class: "architecture", role: "img",
    "aria-label": `x of ${d} features passes ${report.blocks?.length ?? 0} blocks and a last layer` },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      svg("path", { d: "M0 0 8 4 0 8z" }))),
    box(10, 108, 84, `x: ${d}`, "end"),
    svg("rect", { x: 130, y: 36, width: 400, height: 178, rx: 12, class: "block" }),
    svg("text", { x: 330, y: 236, "text-anchor": "middle", class: "small" }, `block, ${count(report.blocks?.length ?? 0, "time")} over`),
    box(150, 148, 112, `W_in ${hidden}×${d}`), box(276, 148, 92, report.activation ?? "act"), box(382, 148, 116, `W_out ${d}×${hidden}`),
    svg("circle", { cx: 470, cy: 72, r: 15, class: "sum" }), svg("text", { x: 470, y: 78, "text-anchor": "middle" }, "+"),
    line("M94 125 H118 V72 H453"), line("M118 125 V165 H149"), line("M262 165 H275"), line("M368 165 H381"),
    line("M440 148 V120 H470 V88"), line("M485 72 H560 V108"),
    box(545, 108, 110, `last ${o}×${d}`), line("M655 125 H672"),
    box(674, 108, 40, o === 1 ? "ŷ" : `${o}`, "end"),
    svg("text", { x: 286, y: 62, "text-anchor": "middle", class: "small" }, "residual connection"));
}

export const architecture = panel({
  id: "architecture", title: "Architecture", wide: true,
  see: (report) => `A block adds W_out·act(W_in·x + b_in) + b_out to what it is given; ${count(report.blocks?.length ?? 0, "block")} and one last layer make the net.`,
  draw: (report) => report.puzzle ? h("div", { class: "figure" }, drawing(report)) : null,
});

interface Dot { x: number; y: number; series: string }

function curves(figure: Figure): Dot[] {
  return figure.columns.flatMap((series, c) => column(figure, c).map((y, i) => ({ x: i / (figure.rows - 1), y, series })));
}

export const features = panel({
  id: "sorted-features", title: "Features, sorted",
  see: (report) => `One curve per feature, its values in ascending order. ${sentence(words(report, "data.normalised"))}`,
  draw: (report) => {
    const data = figure(report, "sorted_features");
    return data ? chart({
      label: "Sorted values of every feature",
      x: { label: "share of the rows", percent: true }, y: { label: "value", grid: true },
      marks: [Plot.lineY(curves(data), { x: "x", y: "y", z: "series", stroke: colour.accent, strokeOpacity: 0.35, strokeWidth: 1, className: "marks", title: (p: Dot) => p.series })],
    }) : null;
  },
});

export const outputs = panel({
  id: "sorted-answers", title: "pred and true, sorted",
  see: (report) => {
    const mse = numbers(report, "puzzle.truth_mse")[0];
    return "The net's answers and what it was trained to answer, each in ascending order." + (mse === undefined ? "" : ` Row by row they differ by ${nice(mse)} in the mean square.`);
  },
  draw: (report) => {
    const data = figure(report, "sorted_answers");
    if (!data) return null;
    const fill = [colour.accent, colour.contrast];
    return h("div", {}, chart({
      label: "Sorted answers",
      x: { label: "share of the rows", percent: true }, y: { label: "value", grid: true },
      marks: data.columns.map((series, c) => Plot.lineY(column(data, c).map((y, i) => ({ x: i / (data.rows - 1), y, series })),
        { x: "x", y: "y", stroke: fill[c] ?? colour.muted, strokeWidth: 2, className: "marks" })),
    }), legend(...data.columns.map((name, c): [string, string] => [fill[c] ?? colour.muted, name])));
  },
});

// A square matrix of numbers as a picture, its largest entry at the ramp's end.
function picture(data: Figure, label: string): HTMLElement {
  const most = data.values.reduce((m: number, v) => Math.max(m, Math.abs(v ?? 0)), 0) || 1;
  return heatmap({
    values: Uint8Array.from(data.values, (v) => 1 + Math.round(127 * (1 + (v ?? 0) / most))), side: data.cols,
    ramp: "--diverging", share: (value) => (value - 1) / 254, label,
  });
}

export const correlations = panel({
  id: "feature-correlations", title: "What is this data?",
  see: (report) => sentence(words(report, "data.answer")),
  draw: (report) => {
    const data = figure(report, "feature_correlations");
    return data ? h("figure", { class: "map" }, picture(data, "Correlations of the features with each other"),
      h("figcaption", {}, "Correlations of the features, orange below zero, blue above.")) : null;
  },
});

// ------------------------------------------------------------------------------ pairs

export const rightAndWrong = panel({
  id: "right-and-wrong", title: "Right and wrong pairs", wide: true,
  see: () => "W_out · W_in of four blocks, and below of the same W_in with the W_out of another block: the diagonal belongs to the pair.",
  draw: (report) => {
    const ids = Object.keys(report.paper?.figures ?? {}).filter((id) => id.startsWith("product_"));
    if (ids.length === 0) return null;
    return h("div", { class: "pictures fours" }, ...ids.map((id) => {
      const data = figure(report, id);
      return data ? h("figure", {}, picture(data, data.columns[0] ?? id), h("figcaption", {}, data.columns[0] ?? id)) : null;
    }));
  },
});

// The report's panel, its matrices sorted as the paper's figure has them.
export const productsByDelta: Panel = {
  ...products,
  title: "All products, by delta-norm",
  inputs: (report) => [...products.inputs(report), report.anatomy?.motions],
  see: (report) => products.see(report).replace("in the order in which they run", "sorted by delta-norm, numbered by place"),
  draw: (report) => {
    const { anatomy } = report, delta = anatomy?.motions?.delta_norm;
    if (!anatomy?.products || !delta) return null;
    const of = [...anatomy.products.of].sort((a, b) => (delta[a.place] ?? 0) - (delta[b.place] ?? 0));
    return products.draw({ ...report, anatomy: { ...anatomy, products: { ...anatomy.products, of } } });
  },
};

// ------------------------------------------------------------------------------ order

function staircase(heights: number[], label: string): HTMLElement {
  return chart({
    label, height: 130, marginBottom: 20, marginLeft: 34,
    x: { axis: null, type: "band" }, y: { label: null, ticks: 3 },
    marks: [Plot.barY(heights.map((y, i) => ({ x: i + 1, y })), {
      x: "x", y: "y", className: "marks", inset: 0.5,
      fill: (bar: { x: number; y: number }) => bar.x === bar.y ? colour.accent : colour.contrast,
    })],
    color: { type: "identity" },
  });
}

export const progression = panel({
  id: "progression", title: "Ordering, step by step", wide: true,
  see: () => "Each bar is a block, as high as its place in the recovered order: delta-norm is a rough staircase, Bradley–Terry a smooth one, the repair makes it perfect.",
  draw: (report) => {
    const data = figure(report, "progression");
    if (!data) return null;
    return h("div", { class: "pictures thirds" }, ...data.columns.map((name, c) => {
      const heights = column(data, c), right = heights.filter((y, i) => y === i + 1).length;
      return h("figure", {}, staircase(heights, `Order: ${name}`), h("figcaption", {}, `${name}: ${right} of ${heights.length} in place`));
    }));
  },
});

interface Round { route: string; round: number; mse: number; paper: boolean }

const routeNames: Record<string, string> = { delta: "from delta-norm", wout: "from ‖W_out‖_F", bt: "from Bradley–Terry" };
const routeFill: Record<string, string> = { delta: colour.muted, wout: colour.accent, bt: colour.contrast };

function convergence(report: PaperReport): Round[] {
  const mse = (value: unknown) => Array.isArray(value) ? value[1] : value;
  return (report.paper?.entries ?? []).flatMap(({ id, ours, paper }) => {
    const [table, route, round] = id.split(".");
    if (table !== "table" || !route) return [];
    const point = (value: unknown, printed: boolean): Round[] => typeof mse(value) === "number" && mse(value) > 5e-7
      ? [{ route, round: Number(round), mse: mse(value), paper: printed }] : [];
    return [...point(ours, false), ...point(paper, true)];
  });
}

export const routes = panel({
  id: "routes", title: "The three convergence tables",
  see: (report) => "Error after each round, as computed (lines)" + (report.paper?.published ? " and as the paper prints it (crosses)" : "") +
    "; the last round of each, at error zero, is off the scale.",
  draw: (report) => {
    const data = convergence(report);
    if (data.length === 0) return null;
    const ours = data.filter((p) => !p.paper);
    return h("div", {}, chart({
      label: "Error after each round of the three routes",
      x: { label: "round", ticks: 7, tickFormat: "d" }, y: { ...errorAxis(data.map((p) => p.mse)), label: "mean square error" },
      color: { type: "identity" },
      marks: [
        Plot.line(ours, { x: "round", y: "mse", z: "route", stroke: (p: Round) => routeFill[p.route] }),
        Plot.dot(ours, { x: "round", y: "mse", fill: (p: Round) => routeFill[p.route], r: 3, className: "marks" }),
        Plot.dot(data.filter((p) => p.paper), { x: "round", y: "mse", stroke: (p: Round) => routeFill[p.route], symbol: "times", r: 5, className: "marks" }),
      ],
    }), legend(...Object.keys(routeNames).map((id): [string, string] => [routeFill[id] ?? "", routeNames[id] ?? id])));
  },
});

export const commute = panel({
  id: "commute", title: "Do blocks commute?",
  see: (report) => `Every pair of blocks, either way round. Is the bound's shape seen? ${words(report, "commute.answer")}.`,
  draw: (report) => {
    const data = figure(report, "commute");
    if (!data) return null;
    const left = column(data, 0), right = column(data, 1);
    const points = left.flatMap((x, i) => x > 0 && (right[i] ?? 0) > 0 ? [{ x, y: right[i] ?? 0 }] : []);
    return chart({
      label: "Difference of the two compositions against the product of the residuals",
      x: { ...errorAxis(points.map((p) => p.x)), grid: false, label: "‖r_A‖ ‖r_B‖" },
      y: { ...errorAxis(points.map((p) => p.y)), label: "‖A∘B(x) − B∘A(x)‖" },
      marks: [Plot.dot(points, { x: "x", y: "y", r: 1.6, fill: colour.accent, fillOpacity: 0.5, className: "marks" })],
    });
  },
});

// ------------------------------------------------------------------------------ open questions

interface Seed { name: string; tau: number; inversions: number; sweeps: number; mse: number; rounds?: number | undefined }

function seedsOf(report: PaperReport): Seed[] {
  return (report.paper?.entries ?? []).flatMap(({ id, what }) => {
    const parts = id.split(".");
    if (parts[0] !== "seeds" || parts.length !== 3) return [];
    const [tau = 0, inversions = 0, sweeps = 0, mse = 0] = numbers(report, id);
    const climb = numbers(report, `${id}.climb`);
    return [{ name: what.split(":")[0] === "greedy" ? `greedy least movement, ${parts[2]}` : what.split(":")[0] ?? id, tau, inversions, sweeps, mse,
      rounds: climb.length > 0 && climb[3] === 0 ? climb[0] : undefined }];
  });
}

export const seeds = panel({
  id: "seeds", title: "First guesses, in both directions", wide: true,
  see: (report) => sentence(words(report, "seeds.why_wout")),
  draw: (report) => {
    const list = seedsOf(report).sort((a, b) => b.tau - a.tau);
    if (list.length === 0) return null;
    const climbed = list.some((seed) => seed.rounds !== undefined);
    const heads = ["Kendall's tau", "inversions", "sweeps needed", "error", ...(climbed ? ["rounds to the exact order"] : [])];
    return valueTable(["seed", ...heads], list.map((seed) => h("tr", {}, h("td", {}, seed.name),
      ...[nice(seed.tau), String(seed.inversions), String(seed.sweeps), nice(seed.mse, 4), ...(climbed ? [seed.rounds === undefined ? "never" : String(seed.rounds)] : [])]
        .map((text, i) => h("td", { class: "number", "data-label": heads[i] }, text)))));
  },
});

interface Arrival { times: number; share: number; kind: string }

function arrivals(report: PaperReport): Arrival[] {
  return (report.paper?.entries ?? []).flatMap(({ id, what }) => {
    const [section, kind, times] = id.split(".");
    const trials = Number(/^of (\d+)/.exec(what)?.[1] ?? 1);
    return section === "landscape" && kind && times ? [{ kind, times: Number(times), share: (numbers(report, id)[0] ?? 0) / trials }] : [];
  });
}

export const landscape = panel({
  id: "landscape", title: "From how far does climbing arrive?",
  see: (report) => {
    const from = entry(report, "landscape.random"), tau = numbers(report, "landscape.stuck_tau");
    return (from ? `${from.what.replace(/, how many.*/, "").replace(/^of/, "Of")}, ${nice(numbers(report, "landscape.random")[0])} reach the order` : "") +
      (tau.length === 3 ? `; the others stick at a Kendall's tau of ${nice(tau[0])} to ${nice(tau[2])}.` : ".") +
      " The curves start from the recovered order, disturbed k times.";
  },
  draw: (report) => {
    const data = arrivals(report);
    if (data.length === 0) return null;
    const fill = (p: Arrival) => p.kind === "moves" ? colour.contrast : colour.accent;
    return h("div", {}, chart({
      label: "Share of climbs that arrive, by the number of disturbances",
      x: { type: "log", base: 2, label: "disturbances k", ticks: [1, 2, 4, 8, 16, 32], tickFormat: "d" },
      y: { label: "% that arrive", percent: true, grid: true, domain: [0, 100] },
      color: { type: "identity" },
      marks: [
        Plot.line(data, { x: "times", y: "share", z: "kind", stroke: fill }),
        Plot.dot(data, { x: "times", y: "share", fill, r: 3.5, className: "marks" }),
      ],
    }), legend([colour.accent, "exchanges of two blocks"], [colour.contrast, "moves of one block"]));
  },
});

// ------------------------------------------------------------------------------ theory

function byPlace(values: number[], series: string): { place: number; value: number; series: string }[] {
  return values.map((value, i) => ({ place: i + 1, value, series }));
}

function twoSeries(id: string, title: string, see: (report: PaperReport) => string, axis: string,
    first: [string, string], second: [string, string], of: (values: number[]) => number[] = (v) => v): Panel {
  return panel({
    id, title, see,
    draw: (report) => {
      const a = byPlace(numbers(report, first[0]), first[1]), b = byPlace(of(numbers(report, second[0])), second[1]);
      if (a.length === 0) return null;
      return h("div", {}, chart({
        label: title, x: { label: "block, in the recovered order", tickFormat: "d" }, y: { label: axis, grid: true, ticks: 5 },
        marks: [
          Plot.ruleY([0], { stroke: colour.rule }),
          Plot.lineY(a, { x: "place", y: "value", stroke: colour.accent, className: "marks" }),
          Plot.lineY(b, { x: "place", y: "value", stroke: colour.contrast, className: "marks" }),
        ],
      }), legend([colour.accent, first[1]], [colour.contrast, second[1]]));
    },
  });
}

export const isometry = panel({
  id: "isometry", title: "Steps 1 and 2: is a block isometric?",
  see: (report) => {
    const [low, high] = numbers(report, "theory.isometry_relative");
    return `2 E[tr J_r] + E‖J_r‖²_F would be zero. Relative to E‖J_r‖²_F it runs from ${nice(low)} to ${nice(high)}.`;
  },
  draw: (report) => {
    const data = byPlace(numbers(report, "theory.isometry"), "defect");
    return data.length === 0 ? null : chart({
      label: "Isometry defect by place", x: { label: "block, in the recovered order", tickFormat: "d" }, y: { label: "2 E[tr J] + E‖J‖²", grid: true, ticks: 5 },
      marks: [Plot.ruleY([0], { stroke: colour.contrast }), Plot.lineY(data, { x: "place", y: "value", stroke: colour.accent }),
        Plot.dot(data, { x: "place", y: "value", fill: colour.accent, r: 2.5, className: "marks" })],
    });
  },
});

export const halfTrace = twoSeries("half-trace", "Step 3: half the trace?",
  (report) => {
    const [low, high] = numbers(report, "theory.half_trace_quotient");
    return `If every unit were open half the time, E[tr J_r] would be ½ tr(W_out·W_in). Their quotient runs from ${nice(low)} to ${nice(high)}.`;
  },
  "trace", ["theory.trace", "E[tr J_r]"], ["theory.half_trace", "½ tr(W_out·W_in)"]);

export const claim = twoSeries("claim", "Step 4: tr(W_out·W_in) = −E‖J_r‖²_F?",
  (report) => {
    const [low, middle, high] = numbers(report, "theory.claim");
    const negative = numbers(report, "pairing.negative")[0] ?? 0, all = report.blocks?.length ?? 0;
    return `The sign is as claimed for ${negative} of ${count(all, "block")}; the quotient of the two is ${nice(low)} to ${nice(high)}, median ${nice(middle)}, where 1 is claimed.`;
  },
  "", ["theory.half_trace", "½ tr(W_out·W_in)"], ["theory.jacobian_square", "−½ E‖J_r‖²_F"], (values) => values.map((v) => -v / 2));

export const trained = panel({
  id: "trained", title: "Models trained from scratch",
  see: () => "‖W_out·W_in‖_F of every block, sorted: the appendix's model, with what it leaves open tried both ways.",
  draw: (report) => {
    const runs = (report.paper?.entries ?? []).filter(({ id }) => /^training\..*\.norms$/.test(id));
    if (runs.length === 0) return null;
    const names = runs.map(({ what }) => what.split(":")[0] ?? "");
    const data = runs.flatMap(({ id }, i) => byPlace(numbers(report, id), String(i)));
    const fill = (i: number) => depth(i / Math.max(1, runs.length - 1));
    return h("div", {}, chart({
      label: "Norms of the products of trained models", x: { label: "block, by norm", tickFormat: "d" }, y: { label: "‖W_out·W_in‖_F", grid: true },
      color: { type: "identity" },
      marks: [Plot.lineY(data, { x: "place", y: "value", z: "series", stroke: (p: { series: string }) => fill(Number(p.series)), className: "marks" })],
    }), legend(...names.map((name, i): [string, string] => [fill(i), name])));
  },
});

export const trainedProducts = panel({
  id: "trained-products", title: "Products of a model trained from scratch", wide: true,
  see: (report) => `All W_out · W_in, sorted by Frobenius norm, of the run that comes nearest to the paper's: ${figure(report, "trained_products")?.columns[0] ?? ""}. ` +
    "Compare with those of the net itself, above.",
  draw: (report) => {
    const data = figure(report, "trained_products");
    if (!data) return null;
    const side = Math.round(Math.sqrt(data.cols));
    const one = (r: number): Figure => ({ columns: [], rows: side, cols: side, values: data.values.slice(r * data.cols, (r + 1) * data.cols) });
    return h("div", { class: "products" }, ...Array.from({ length: data.rows }, (_, r) =>
      h("figure", {}, picture(one(r), `Product ${r + 1} by norm`), h("figcaption", {}, String(r + 1)))));
  },
});
