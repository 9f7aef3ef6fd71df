// Light and dark: the system's choice until the reader makes one. Paper is always light.
import { h } from "./dom.js";

export type Theme = "light" | "dark";

const root = document.documentElement;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen: Theme | null = null;

const wanted = (): Theme => chosen ?? (dark.matches ? "dark" : "light");
const theme = (): Theme => root.dataset["theme"] === "dark" ? "dark" : "light";

function show(next: Theme): void {
  root.dataset["theme"] = next;
  listeners.forEach((redraw) => redraw());
}

// Canvases take their colours from the styles when they are drawn; they must be drawn again.
export function onTheme(redraw: () => void): void {
  listeners.add(redraw);
}

show(wanted());
dark.addEventListener("change", () => show(wanted()));
window.addEventListener("beforeprint", () => show("light"));
window.addEventListener("afterprint", () => show(wanted()));

export function themeToggle(): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", id: "theme" });
  const label = () => {
    const other = theme() === "dark" ? "light" : "dark";
    button.textContent = theme() === "dark" ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
  };
  button.addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    show(chosen);
  });
  listeners.add(label);
  label();
  return button;
}

// The colours of a ramp, as the styles name them: --heat, --diverging.
export function ramp(name: string): (share: number) => [number, number, number] {
  const stops = getComputedStyle(document.documentElement).getPropertyValue(name).trim().split(/\s+/)
    .map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const from = stops[low] ?? [0, 0, 0], to = stops[low + 1] ?? from;
    return [0, 1, 2].map((c) => Math.round((from[c] ?? 0) + ((to[c] ?? 0) - (from[c] ?? 0)) * (at - low))) as
      [number, number, number];
  };
}
