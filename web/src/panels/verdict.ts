// What was found, in plain words, before anything else.
import type { Certificate, Report, Verdict } from "../data.js";
import { h } from "../dom.js";
import { count, duration, nice } from "../format.js";

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
    list.push(["nearest rival", `${nearest.is_bound ? "≥ " : ""}${nice(nearest.mse / certificate.mse, 2)}×`, "worse than this arrangement"]);
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
    h("p", { class: "badge" }, h("span", { "aria-hidden": "true" }, name === "exact" ? "✓" : name === "ambiguous" ? "≈" : "?"),
      headline[name]),
    h("p", { class: "words" }, inWords(report)),
    report.stopped ? h("p", { class: "note" }, report.stopped === "asked to"
      ? "The search was stopped before it was done."
      : "The search ran into its time limit before it was done.") : null,
    h("dl", { class: "figures" }, ...figures(report).map(([what, value, note]) =>
      h("div", {}, h("dt", {}, what), h("dd", {}, value), h("dd", { class: "small" }, note)))));
}

export function rowsOf(certificate: Certificate): [string, string][] {
  const times = (mse: number | null) => mse && certificate.mse ? `, ${nice(mse / certificate.mse, 2)} times this one's` : "";
  const rows: [string, string][] = [
    ["Mean square error", `${nice(certificate.mse)}; ${certificate.floor || "arithmetic"} explains ${nice(certificate.floor_mse)}`],
    ["Largest error", `${nice(certificate.max_abs_error)}; ${certificate.floor || "arithmetic"} explains ${nice(certificate.floor_max_abs_error)}`],
    ["Rows", `${certificate.rows.toLocaleString("en")}${certificate.rows_needed
      ? `; at least ${certificate.rows_needed.toLocaleString("en")} are needed to rule out coincidence` : ""}`],
    ["Rivals", certificate.rivals > 0
      ? `${certificate.refuted.toLocaleString("en")} of ${certificate.rivals.toLocaleString("en")} refuted (scope: ${certificate.scope})`
      : "none looked at: the error is above the floor"],
  ];
  const nearest = certificate.nearest;
  if (nearest) rows.push(["Nearest rival", `${nearest.what}: error ${nearest.is_bound ? "at least " : ""}${nice(nearest.mse)}${times(nearest.mse)}`]);
  if (certificate.noise) rows.push(["Noise declared", nice(certificate.noise)]);
  const freedom = certificate.freedom;
  if (freedom) rows.push(["Arrangements left", `${freedom.at_least ? "at least " : ""}${freedom.permutations}`]);
  if (freedom && freedom.unordered.length > 0)
    rows.push(["May run either way", freedom.unordered.slice(0, 12).map(([a, b]) => `${a} and ${b}`).join(", ") +
      (freedom.unordered.length > 12 ? ", …" : "")]);
  return rows;
}
