// The JSON that humpty's report_json writes. While a search is still running parts are missing, so
// everything that a panel draws is optional here.

export type Verdict = "exact" | "ambiguous" | "unsolved";

export interface Rival {
  what: string;
  kind: string;
  a: number;
  b: number;
  mse: number | null;
  rows: number;
  is_bound: boolean;
}

export interface Freedom {
  permutations: string;
  at_least: boolean;
  expand: number[][];
  contract: number[][];
  unordered: [number, number][];
}

export interface Certificate {
  verdict: Verdict;
  why: string;
  pieces_sha256: string;
  rows_sha256: string;
  rows: number;
  rows_needed: number;
  mse: number | null;
  max_abs_error: number | null;
  floor: string;
  floor_mse: number | null;
  floor_max_abs_error: number | null;
  noise: number | null;
  scope: string;
  rivals: number;
  refuted: number;
  nearest: Rival | null;
  survivors: Rival[];
  freedom: Freedom | null;
  firm: number[];
  hints: string[];
}

export interface Block {
  in: number;
  out: number;
  score: number | null;
  margin: number | null;
}

export interface Round {
  swaps: number;
  mse: number | null;
  rows: number;
}

export interface Step {
  what: "seed" | "ranking" | "round" | "end";
  round?: number;
  moves?: number;
  mse: number | null;
  order: number[];
}

export interface PairingMap {
  signal: string;
  pieces: number;
  side: number;
  low: number;
  high: number;
  before: string;
  after: string;
}

export interface Histogram {
  low: number;
  high: number;
  matched: number[];
  unmatched: number[];
}

export interface Products {
  width: number;
  side: number;
  of: { place: number; largest: number | null; values: string }[];
}

export interface Spectrum {
  place: number;
  effective_rank: number | null;
  values: number[];
}

export interface Motions {
  rows: number;
  delta_norm: (number | null)[];
  active: (number | null)[];
  relative: (number | null)[];
}

export interface Answers {
  of: number;
  row: number[];
  output: number[];
  target: (number | null)[];
  residual: (number | null)[];
}

export interface Swaps {
  rows: number;
  mse: (number | null)[];
}

export interface Anatomy {
  pairing?: PairingMap;
  histogram?: Histogram;
  way?: Step[];
  products?: Products;
  spectra?: Spectrum[];
  out_norm?: (number | null)[];
  motions?: Motions;
  answers?: Answers;
  swaps?: Swaps;
}

export interface PieceInfo {
  id: number;
  role: "expand" | "contract" | "head" | "stem";
  shape: [number, number];
  dtype: string;
}

export interface PuzzleInfo {
  pieces: PieceInfo[];
  hidden: number[];
  rows: number;
  features: number;
  feature_names: string[];
  outputs: number;
  target_names: string[];
  target: string;
}

export interface Salvage {
  left_out: { piece: number; why: string }[];
  gap: number | null;
  or_here: number[];
  remarks: string[];
}

export interface Report {
  verdict?: Verdict;
  why?: string;
  permutation?: number[];
  sha256?: string;
  blocks?: Block[];
  head?: number;
  certificate?: Certificate;
  firm_pairs?: number[];
  activation?: string;
  seed?: string;
  seed_mse?: number | null;
  rounds?: Round[];
  story?: string[];
  stopped?: string | null;
  pieces?: Record<string, string>;
  notes?: string[];
  timings_ms?: Record<string, number>;
  version?: string;
  puzzle?: PuzzleInfo;
  anatomy?: Anatomy;
  provenance?: { command: string; inputs: string[]; version: string };
  salvage?: Salvage;
}

// What the page was given, or nothing where it was given nothing.
export function embedded(): Report | null {
  const text = document.getElementById("humpty-data")?.textContent ?? "";
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}

export function bytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}
