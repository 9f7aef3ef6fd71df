import type { Spectrum } from "../data.js";
import { h } from "../dom.js";
import { chart, depth, errorAxis, legend, Plot } from "../figure.js";
import type { Panel } from "../panel.js";

interface Point { place: number; index: number; value: number }

// Values that float32 weights cannot resolve are left out.
function points(spectra: Spectrum[], width: number): Point[] {
  const top = spectra.reduce((m, s) => Math.max(m, s.values[0] ?? 0), 0);
  return spectra.flatMap(({ place, values }) => values.flatMap((value, i) => value > 1e-7 * top
    ? [{ place, value, index: values.length < 2 ? 1 : 1 + (i * (width - 1)) / (values.length - 1) }] : []));
}

export const spectra: Panel = {
  id: "spectra",
  title: "Singular values of W_out · W_in",
  inputs: (report) => [report.anatomy?.spectra, report.anatomy?.products],
  see: ({ anatomy, blocks }) => {
    const shown = anatomy?.spectra?.length ?? 0, all = blocks?.length ?? 0;
    return "One line per block, coloured by its place: a flat line is a block that uses all its directions, a steep one uses few." +
      (shown < all ? ` Shown are ${shown} of ${all} blocks.` : "");
  },
  draw: ({ anatomy, blocks }) => {
    const list = anatomy?.spectra ?? [], all = blocks?.length ?? list.length;
    const data = points(list, anatomy?.products?.width ?? 1);
    if (data.length === 0) return null;
    return h("div", {}, chart({
      label: "Singular values of every block's product, descending",
      height: 260,
      x: { label: "index", tickFormat: "d" },
      y: { ...errorAxis(data.map((p) => p.value)), label: "singular value" },
      marks: [
        Plot.lineY(data, {
          x: "index", y: "value", z: "place", stroke: "place", strokeWidth: 1, strokeOpacity: 0.8, className: "marks",
          title: (p: Point) => `block ${p.place + 1}`,
        }),
      ],
      color: { type: "linear", domain: [0, Math.max(1, all - 1)], interpolate: depth },
    }), legend([depth(0), "first block"], [depth(1), "last block"]));
  },
};
