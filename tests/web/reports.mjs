// Reports to look at, made by the program: one of each verdict, and one of hundreds of blocks.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = resolve(root, process.env.HUMPTY ?? "build/humpty");
const published = resolve(root, process.env.HUMPTY_SHARED ?? "../shared", "jane-street");

function run(folder, expected, ...args) {
  const { status, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  if (status !== expected) throw new Error(`humpty ${args.join(" ")} ended with ${status}, not ${expected}:\n${stderr}`);
}

// The target with something added that no net explains.
function spoil(csv) {
  const [names, ...rows] = readFileSync(csv, "utf8").trim().split("\n").map((line) => line.split(","));
  const pred = names.indexOf("pred");
  rows.forEach((row, i) => (row[pred] = String(Number(row[pred]) + 0.1 * Math.sin(37 * i))));
  writeFileSync(csv, [names, ...rows].map((row) => row.join(",")).join("\n") + "\n");
}

export function makeReports() {
  const folder = mkdtempSync(join(tmpdir(), "humpty-web-"));
  const made = (name) => {
    const file = join(folder, `${name}.html`);
    const json = readFileSync(file, "utf8").match(/id="humpty-data">([^<]*)<\/script>/)[1];
    return { name, file, data: JSON.parse(json) };
  };
  run(folder, 0, "demo", "-o", "demo");
  if (existsSync(published)) run(folder, 0, "solve", published, "--report", "solved.html");
  else run(folder, 0, "solve", "demo", "--report", "solved.html");
  spoil(join(folder, "demo/data.csv"));
  run(folder, 1, "solve", "demo", "--activation", "relu", "--time-limit", "1", "--report", "unsolved.html");
  run(folder, 0, "train", "-o", "open", "--blocks", "8", "--dim", "8", "--hidden", "16", "--init", "zero", "--epochs", "0", "--rows", "200");
  run(folder, 1, "solve", "open", "--report", "ambiguous.html");
  run(folder, 0, "train", "-o", "deep", "--blocks", "240", "--dim", "12", "--hidden", "24", "--init", "zero", "--lr", "2e-3", "--epochs", "3", "--rows", "400");
  run(folder, 1, "solve", "deep", "--method", "paper", "--time-limit", "2", "--report", "many.html");
  run(folder, 1, "solve", "deep/pieces", "--no-data", "--report", "no-data.html");
  return {
    reports: ["solved", "unsolved", "ambiguous", "many", "no-data"].map(made),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
