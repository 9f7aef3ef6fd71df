import type { Block } from "../data.js";
import { chart, colour, Plot } from "../figure.js";
import { nice } from "../format.js";
import type { Panel } from "../panel.js";

interface Margin { rank: number; margin: number; block: Block }

function sorted(blocks: Block[]): Margin[] {
  return blocks.filter((block) => block.margin !== null)
    .sort((a, b) => (a.margin ?? 0) - (b.margin ?? 0))
    .map((block, i) => ({ rank: i + 1, margin: block.margin ?? 0, block }));
}

export const margins: Panel = {
  id: "margins",
  title: "Margins, weakest first",
  inputs: (report) => [report.blocks],
  see: ({ blocks }) => {
    const weakest = sorted(blocks ?? [])[0];
    if (!weakest) return "";
    const pair = `${weakest.block.in} with ${weakest.block.out}`;
    if (weakest.margin === 0) return "How far each pair's score is ahead of its best rival: some are not ahead at all, and others would do as well.";
    return weakest.margin > 0
      ? `How far each pair's score is ahead of its best rival. The weakest, ${pair}, is ahead by ${nice(weakest.margin)}.`
      : `How far each pair's score is ahead of its best rival. Bars below zero are pairs that a rival would have had by its score alone (${pair}: ${nice(weakest.margin)}): the assignment as a whole, or the data, decided them.`;
  },
  draw: ({ blocks }) => {
    const list = sorted(blocks ?? []);
    if (list.length === 0) return null;
    const values = list.map((each) => each.margin);
    return chart({
      label: "Margin of every pair over its best rival, ascending",
      x: { label: "pairs, weakest first", ticks: [] , type: "band" },
      y: { label: "margin", grid: true, domain: [Math.min(0, ...values), Math.max(...values) || 1] },
      marks: [
        Plot.barY(list, {
          x: "rank", y: "margin", fill: (m: Margin) => m.margin > 0 ? colour.accent : colour.contrast, className: "marks", inset: list.length > 120 ? 0 : 0.5,
          title: (m: Margin) => `${m.block.in} with ${m.block.out}: ${nice(m.margin)}`,
        }),
        Plot.ruleY([0], { stroke: colour.rule }),
      ],
      color: { type: "identity" },
    });
  },
};
