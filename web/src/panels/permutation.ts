// The answer itself, to be copied; and which file each piece is.
import type { PieceInfo, Report } from "../data.js";
import { h } from "../dom.js";
import type { Panel } from "../panel.js";

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "off-screen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");  // for pages that may not use the clipboard's interface
    area.remove();
    return copied;
  }
}

export function copyButton(text: string, what: string): HTMLElement {
  const status = h("span", { role: "status", class: "note" });
  const button = h("button", { type: "button", class: "copy" }, `Copy ${what}`);
  button.addEventListener("click", async () => {
    status.textContent = (await copy(text)) ? "Copied." : "Could not copy: select the text instead.";
    setTimeout(() => (status.textContent = ""), 4000);
  });
  return h("p", { class: "actions" }, button, status);
}

interface Line { piece: PieceInfo | undefined; id: number; place: string; file: string }

function lines(report: Report): Line[] {
  const known = new Map(report.puzzle?.pieces.map((piece) => [piece.id, piece]));
  const ids = report.permutation ?? [], blocks = report.blocks?.length ?? 0;
  const stems = ids.length - 2 * blocks - 1;  // what runs before the blocks
  const place = (i: number) => i < 0 ? "stem" : i === 2 * blocks ? "head"
    : `block ${Math.floor(i / 2) + 1}, ${i % 2 === 0 ? "in" : "out"}`;
  return ids.map((id, i) => ({
    piece: known.get(id), id, place: place(i - stems),
    file: report.pieces?.[String(id)] ?? "",
  }));
}

function table(report: Report): HTMLElement {
  return h("details", { class: "files" },
    h("summary", {}, `Which file is which piece: the ${report.permutation?.length ?? 0} pieces in the order in which they run`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Pieces and files" },
      h("table", { class: "list" },
        h("thead", {}, h("tr", {}, ...["place", "id", "file", "shape", "stored as"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...lines(report).map(({ piece, id, place, file }) => h("tr", {},
          h("td", {}, place), h("td", { class: "number" }, id), h("td", { class: "file" }, file),
          h("td", { class: "number" }, piece ? piece.shape.join(" × ") : ""), h("td", {}, piece?.dtype ?? "")))))));
}

export const permutation: Panel = {
  id: "permutation",
  title: "The permutation",
  wide: true,
  inputs: (report) => [report.permutation, report.pieces],
  see: () => "The ids of the pieces in the order in which they are applied: in, out, in, out, …, and the head at the end.",
  draw: (report) => {
    if (!report.permutation?.length) return null;
    const text = report.permutation.join(",");
    return h("div", {},
      h("pre", { class: "answer", tabindex: 0, "aria-label": "Permutation" }, text.replaceAll(",", ",\u200b")),
      copyButton(text, "permutation"),
      h("p", { class: "hash" }, "SHA-256 ", h("code", {}, report.sha256 ?? "")),
      table(report));
  },
};
