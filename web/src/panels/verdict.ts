// What was found, in plain words, before anything else.
import type { Certificate, Report, Verdict } from "../data.js";
import { h } from "../dom.js";
import { count, duration, nice } from "../format.js";
import { remaining } from "./freedom.js";

const headline: Record<Verdict, string> = {
  exact: "Exact",
  ambiguous: "Ambiguous",
  unsolved: "Unsolved",
};

function inWords(report: Report): string {
  const blocks = count(report.blocks?.length ?? 0, "block");
  const rows = count(report.certificate?.rows ?? 0, "row");
  if (report.verdict === "exact")
    return `All ${blocks} are back in their places: the net answers ${rows} as the original did, to the last bit ` +
      "that its arithmetic can tell, and every other arrangement tried answers worse.";
  if (report.verdict === "ambiguous")
    return `This arrangement of ${blocks} answers all ${rows} as the original did, and so do others: these rows ` +
      "cannot tell them apart.";
  return `This is the best arrangement of ${blocks} that was found. It is not the original one, or cannot be shown to be: ` +
    "do not rely on it.";
}

function figures(report: Report): [string, string, string][] {
  const certificate = report.certificate;
  const list: [string, string, string][] = [];
  if (certificate && certificate.rows > 0)
    list.push(["mean square error", nice(certificate.mse), `on ${count(certificate.rows, "row")}, float64`]);
  const nearest = certificate?.nearest;
  if (nearest && certificate?.mse && nearest.mse)
    list.push(nearest.mse > 2 * certificate.mse
      ? ["nearest rival", `${nearest.is_bound ? "≥ " : ""}${nice(nearest.mse / certificate.mse, 2)}×`, "worse than this arrangement"]
      : ["nearest rival", "no worse", "than this arrangement"]);
  if (certificate && certificate.rivals > 0)
    list.push(["rivals refuted", certificate.refuted.toLocaleString("en"), `of ${certificate.rivals.toLocaleString("en")}`]);
  const spent = Object.values(report.timings_ms ?? {}).reduce((a, b) => a + b, 0);
  if (spent > 0) list.push(["time", duration(spent), "from files to verdict"]);
  return list;
}

// Above the sections, not in a panel of its own.
export function verdict(report: Report): HTMLElement {
  const name = report.verdict ?? "unsolved";
  return h("div", { class: `verdict ${name}`, "data-verdict": name },
    h("h1", { class: "badge" }, h("span", { "aria-hidden": "true" }, name === "exact" ? "✓" : name === "ambiguous" ? "≈" : "?"),
      headline[name]),
    h("p", { class: "words" }, inWords(report)),
    report.stopped ? h("p", { class: "note" }, report.stopped === "asked to"
      ? "The search was stopped before it was done."
      : "The search ran into its time limit before it was done.") : null,
    h("dl", { class: "figures" }, ...figures(report).map(([what, value, note]) =>
      h("div", {}, h("dt", {}, what), h("dd", {}, value), h("dd", { class: "small" }, note)))));
}

// The certificate line by line.
export function factsOf(report: Report): [string, string][] {
  const c = report.certificate;
  if (!c) return [];
  const explained = (floor: number | null) => `; ${c.floor || "arithmetic"} explains ${nice(floor)}`;
  const facts: [string, string][] = c.rows === 0 ? [["Rows", "none"]] : [
    ["Mean square error", nice(c.mse) + explained(c.floor_mse)],
    ["Largest error", nice(c.max_abs_error) + explained(c.floor_max_abs_error)],
    ["Rows", c.rows.toLocaleString("en") + needed(c)],
    ["Rivals", c.rivals > 0
      ? `${c.refuted.toLocaleString("en")} of ${c.rivals.toLocaleString("en")} refuted (scope: ${c.scope})`
      : "none looked at: the error is above the floor"],
  ];
  if (c.nearest) facts.push(["Nearest rival", `${c.nearest.what}: error ${c.nearest.is_bound ? "at least " : ""}${nice(c.nearest.mse)}${times(c)}`]);
  if (c.noise) facts.push(["Noise declared", nice(c.noise)]);
  return [...facts, ...freedom(c), ...firm(report, c)];
}

const enough = 1e9;  // as many rows as this: no number would be enough

function needed(c: Certificate): string {
  return c.rows_needed >= enough ? "; no number of them could rule out coincidence"
    : c.rows_needed > 0 ? `; at least ${c.rows_needed.toLocaleString("en")} are needed to rule out coincidence` : "";
}

function times(c: Certificate): string {
  return c.nearest?.mse && c.mse ? `, ${nice(c.nearest.mse / c.mse, 2)} times this one's` : "";
}

function freedom(c: Certificate): [string, string][] {
  return c.freedom ? [["Arrangements left", remaining(c.freedom)]] : [];
}

// What may be relied on all the same.
function firm(report: Report, c: Certificate): [string, string][] {
  const blocks = report.blocks?.length ?? 0;
  if (report.verdict !== "unsolved" || blocks === 0) return [];
  const facts: [string, string][] = [["Firm pairs", `${report.firm_pairs?.length ?? 0} of ${blocks} stand out by their weights alone`]];
  if (c.firm.length > 0) facts.push(["Firm neighbours", `${c.firm.length} of ${blocks - 1} are clearly worse the other way round`]);
  return facts;
}
