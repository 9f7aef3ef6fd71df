// The report's sections: every page that shows a solution, finished or not, shows these.
import type { Section } from "./panel.js";
import { predictions, residuals } from "./panels/answers.js";
import { active, deltaNorm, effectiveRank, outNorm, relative } from "./panels/blocks.js";
import { certificate } from "./panels/certificate.js";
import { freedom } from "./panels/freedom.js";
import { histogram } from "./panels/histogram.js";
import { provenance, salvage, timings } from "./panels/making.js";
import { margins } from "./panels/margins.js";
import { order } from "./panels/order.js";
import { pairing } from "./panels/pairing.js";
import { permutation } from "./panels/permutation.js";
import { products } from "./panels/products.js";
import { rounds } from "./panels/rounds.js";
import { spectra } from "./panels/spectra.js";
import { swaps } from "./panels/swaps.js";

export const sections: Section[] = [
  { id: "answer", title: () => "The answer", panels: [certificate, permutation, freedom, salvage] },
  { id: "pairs", title: () => "The pairs", panels: [pairing, histogram, margins, products] },
  { id: "ordering", title: () => "The order", panels: [order, rounds, swaps] },
  { id: "net", title: ({ verdict }) => verdict === "unsolved" ? "The net as put together" : "The net, whole again",
    panels: [predictions, residuals, deltaNorm, relative, active, outNorm, spectra, effectiveRank] },
  { id: "making", title: () => "How it was made", panels: [timings, provenance] },
];
