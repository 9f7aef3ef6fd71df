// What `humpty paper` adds to the report's JSON.
import type { Report } from "../data.js";

export type Value = number | null | (number | null)[] | string;
export type Status = "same" | "differs" | "not in paper";

export interface Entry {
  id: string;
  section: string;
  what: string;
  ours: Value;
  paper: Value;
  printed: string;  // `paper` with the digits it was printed with
  status: Status;
  why: string;
}

export interface Figure {
  columns: string[];
  rows: number;
  cols: number;
  values: (number | null)[];  // row by row
}

export interface PaperReport extends Report {
  paper?: {
    published: boolean;
    stopped: boolean;
    entries: Entry[];
    figures: Record<string, Figure>;
  };
}

export function entry(report: PaperReport, id: string): Entry | undefined {
  return report.paper?.entries.find((each) => each.id === id);
}

export function numbers(report: PaperReport, id: string): number[] {
  const ours = entry(report, id)?.ours;
  return Array.isArray(ours) ? ours.map((value) => value ?? NaN) : typeof ours === "number" ? [ours] : [];
}

export function words(report: PaperReport, id: string): string {
  const ours = entry(report, id)?.ours;
  return typeof ours === "string" ? ours : "";
}

export function figure(report: PaperReport, id: string): Figure | undefined {
  return report.paper?.figures[id];
}

export function column(figure: Figure, c: number): number[] {
  return Array.from({ length: figure.rows }, (_, r) => figure.values[r * figure.cols + c] ?? NaN);
}
