// A matrix as pixels.
import { h } from "./dom.js";
import { onTheme, ramp } from "./theme.js";

export interface Heat {
  values: Uint8Array;  // row by row
  side: number;
  ramp: "--heat" | "--diverging";
  share(value: number): number | null;  // 0 … 1 along the ramp; null: no value
  label: string;
  tell?(row: number, column: number): string;
}

function paint(canvas: HTMLCanvasElement, heat: Heat): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = ramp(heat.ramp);
  const image = context.createImageData(heat.side, heat.side);
  heat.values.forEach((value, i) => {
    const share = heat.share(value);
    if (share === null) return;
    const [r, g, b] = colours(share);
    image.data.set([r, g, b, 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

// The ramp itself, for a legend.
export function heatBar(): HTMLCanvasElement {
  const canvas = h("canvas", { width: 64, height: 1, class: "heat-bar", "aria-hidden": "true" });
  const draw = () => {
    const context = canvas.getContext("2d"), colours = ramp("--heat");
    if (!context) return;
    const image = context.createImageData(canvas.width, 1);
    for (let x = 0; x < canvas.width; ++x) image.data.set([...colours(x / (canvas.width - 1)), 255], 4 * x);
    context.putImageData(image, 0, 0);
  };
  draw();
  onTheme(draw);
  return canvas;
}

export function heatmap(heat: Heat, note?: HTMLElement): HTMLCanvasElement {
  const canvas = h("canvas", {
    width: heat.side, height: heat.side, class: "heat", role: "img", "aria-label": heat.label,
    "data-cells": heat.values.length,
  });
  paint(canvas, heat);
  onTheme(() => paint(canvas, heat));
  const tell = heat.tell;
  if (tell && note) {
    const usual = note.textContent;
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const cell = (share: number) => Math.min(heat.side - 1, Math.max(0, Math.floor(share * heat.side)));
      note.textContent = tell(cell((event.clientY - box.top) / box.height), cell((event.clientX - box.left) / box.width));
    });
    canvas.addEventListener("pointerleave", () => (note.textContent = usual));
  }
  return canvas;
}
