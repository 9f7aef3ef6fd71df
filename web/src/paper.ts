// The paper's page: its figures, its numbers beside ours, and what it asks.
import { showFinished } from "./frame.js";
import type { Section } from "./panel.js";
import { active, deltaNorm, effectiveRank, relative } from "./panels/blocks.js";
import { histogram } from "./panels/histogram.js";
import { margins } from "./panels/margins.js";
import { pairing } from "./panels/pairing.js";
import { spectra } from "./panels/spectra.js";
import * as panels from "./paper/panels.js";
import { summary, values } from "./paper/values.js";

const sections: Section[] = [
  { id: "puzzle", title: () => "The puzzle", panels: [panels.architecture, panels.features, panels.outputs] },
  { id: "pairs", title: () => "Pairing", panels: [pairing, histogram, margins, panels.rightAndWrong, panels.productsByDelta] },
  { id: "ordering", title: () => "Ordering", panels: [panels.progression, panels.routes, panels.commute] },
  { id: "questions", title: () => "What the paper asks", panels: [panels.seeds, panels.landscape, panels.correlations] },
  { id: "theory", title: () => "Why a negative diagonal?", panels: [panels.isometry, active, panels.halfTrace, panels.claim, panels.trained, panels.trainedProducts] },
  { id: "blocks", title: () => "Blocks by recovered place", panels: [spectra, effectiveRank, deltaNorm, relative] },
  values,
];

showFinished({
  subtitle: () => "the paper, number by number", first: summary, sections,
  empty: "This page holds no study. humpty paper PATH -o DIR writes one that does.",
});
