import { bytes } from "../data.js";
import type { Report } from "../data.js";
import { h } from "../dom.js";
import { count, nice } from "../format.js";
import { heatmap } from "../heatmap.js";
import type { Panel } from "../panel.js";

export const products: Panel = {
  id: "products",
  title: "The products W_out · W_in",
  wide: true,
  inputs: (report) => [report.anatomy?.products, report.blocks],
  see: ({ anatomy, blocks }) => {
    const p = anatomy?.products;
    if (!p) return "";
    const some = p.of.length < (blocks?.length ?? 0) ? ` Shown are ${p.of.length} of ${count(blocks?.length ?? 0, "block")}, evenly spread.` : "";
    const binned = p.side < p.width ? ` Each cell is the mean of about ${Math.round(p.width / p.side)} × ${Math.round(p.width / p.side)} entries.` : "";
    return "One matrix per block in the order in which they run, orange below zero, blue above. Where a diagonal of one colour shows, it is " +
      "the trace that training leaves on two pieces that learnt together; a wrong pair looks like noise." + some + binned;
  },
  draw: (report: Report) => {
    const p = report.anatomy?.products;
    if (!p) return null;
    return h("div", { class: "products" }, ...p.of.map(({ place, largest, values }) => {
      const block = report.blocks?.[place];
      const name = `block ${place + 1}${block ? `: in ${block.in}, out ${block.out}` : ""}`;
      return h("figure", { title: `${name}; largest entry ${nice(largest)}` },
        heatmap({ values: bytes(values), side: p.side, ramp: "--diverging", share: (value) => (value - 1) / 254, label: `Product of ${name}` }),
        h("figcaption", {}, String(place + 1)));
    }));
  },
};
