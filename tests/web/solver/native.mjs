// The program, the nets to solve, and how alike two solutions are.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const build = process.env.HUMPTY_BUILD ?? join(repository, "build");
export const program = join(build, "humpty");
export const pages = join(build, "web");
export const engine = join(build, "wasm");

const shared = process.env.HUMPTY_SHARED ?? join(repository, "..", "shared");
export const puzzle = join(shared, "jane-street");
export const puzzleSha = "093be1cf2d24094db903cbc3e8d33d306ebca49c6accaa264e44b0b675e7d9c4";
export const zoo = ["t8-d16", "t16-d32", "t24-scaled", "t24-silu", "t24-tanh"].map((name) => join(shared, "zoo", name));

// A reason to skip, or false. In CI a missing folder is a failure.
export function missing(folder) {
  if (existsSync(folder)) return false;
  if (process.env.CI) throw new Error(`${folder} is missing`);
  return `${folder} is not here`;
}

export function run(...args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function solveNatively(folder) {
  const temporary = mkdtempSync(join(tmpdir(), "humpty-native-"));
  const file = join(temporary, "solution.json");
  try {
    try {
      run("solve", folder, "--threads", "1", "--time-limit", "0", "--json", file);
    } catch (error) {
      if (error.status !== 1) throw error;  // 1: not exact, and truthfully so
    }
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

// The pieces and the table, as paths relative to the folder.
export function filesOf(folder) {
  return [...readdirSync(join(folder, "pieces")).map((name) => `pieces/${name}`),
    ...readdirSync(folder).filter((name) => name.endsWith(".csv"))];
}

const wall = new Set(["timings_ms", "pieces"]);  // the clock's; files are named by where they lie

function walk(value, visit, path = "") {
  if (typeof value !== "object" || value === null) return visit(value, path);
  for (const [key, inner] of Object.entries(value)) if (!wall.has(key)) walk(inner, visit, `${path}/${key}`);
}

// What float32 rounding does is measured on the machine at hand, and WebAssembly has no fused
// multiply-add. These follow from it and only have to be of one size.
const measured = /\/(floor_mse|floor_max_abs_error|rows_needed|passes)$/;
const alike = (a, b) => a === b || (a > 0 && b > 0 && a / b < 2 && b / a < 2);

const kind = (path) => path.replace(/\/\d+/g, "/#");  // "/blocks/3/margin" is a "/blocks/#/margin"

// Where two JSON values differ: paths and both values. Numbers are the same if they are so to a
// millionth of the largest of their kind, and of one at least.
export function differences(a, b) {
  const largest = new Map(), found = new Map(), lines = [];
  walk(a, (value, path) => {
    if (typeof value === "number") largest.set(kind(path), Math.max(largest.get(kind(path)) ?? 1, Math.abs(value)));
    found.set(path, value);
  });
  walk(b, (value, path) => {
    const expected = found.get(path);
    found.delete(path);
    const same = typeof value === "number" && typeof expected === "number"
      ? Math.abs(value - expected) <= 1e-6 * largest.get(kind(path)) || (measured.test(path) && alike(value, expected))
      : value === expected;
    if (!same) lines.push(`${path}: ${expected} and ${value}`);
  });
  for (const [path, value] of found) lines.push(`${path}: ${value} and nothing`);
  return lines;
}
