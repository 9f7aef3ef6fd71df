// What the page, its worker and the library (web/wasm/bindings.cpp) say to each other.
import type { Report } from "../data.js";

export interface Reading {
  paths: string[];
  data?: string;
  target?: string;
  activation?: string;
  threads: number;
}

// Requests to the library, each with its answer.
export interface Calls {
  inspect: { request: Reading; answer: Inspection };
  unpack: { request: { archive: string; folder: string; limit: number }; answer: string[] };
  make: { request: { folder: string; rng: number; threads: number }; answer: Made };
  solve: { request: Reading & { timeLimit: number; command: string; inputs: string[] }; answer: Report };
  report: { request: Record<never, never>; answer: Report };
  page: { request: { file: string }; answer: null };
  model: { request: { file: string }; answer: null };
}
export type Name = keyof Calls;

// While one is being worked on: how far it is, or what has been found.
export interface Progress { stage: string; done: number; note: string }
export type News = Progress | { report: Report };

export interface Made { blocks: number; dim: number; rows: number; loss: number; permutation: number[] }

// As `humpty inspect --json` has it; only what the page shows.
export interface Inspection {
  pieces: { id: number; file: string; role: string | null; weight: { shape: [number, number] } }[];
  files: { file: string; tensors: unknown[]; error: string | null }[];
  tables: { file: string; rows: number; columns: { name: string; use: string }[]; error: string | null }[];
  notes: string[];
  obstacle: string | null;
}

export interface Dropped { path: string; file: Blob }

// Page to worker. Every message but the news has a number; its reply has the same.
export type Task =
  | { kind: "start"; script?: string; module?: WebAssembly.Module }
  | { kind: "put"; files: Dropped[] }
  | { kind: "remove"; path: string }
  | { kind: "call"; name: Name; request: unknown }
  | { kind: "take"; path: string };

export type Reply =
  | { id: number; value: unknown }
  | { id: number; error: string }
  | { news: News };
