// What can be said about the files where they do not say it themselves. The labels carry the names
// that the library's messages use.
import { h } from "../dom.js";

const activations = ["relu", "leaky", "gelu", "gelu-tanh", "silu", "tanh", "identity"];

export class Options {
  private readonly data = h("select", { id: "data" });
  private readonly target = h("input", { type: "text", id: "target", placeholder: "pred", autocomplete: "off", spellcheck: "false" });
  private readonly activation = h("select", { id: "activation" }, h("option", { value: "" }, "found by the data"),
    ...activations.map((name) => h("option", { value: name }, name)));
  private readonly limit = h("input", { type: "number", id: "limit", min: 0, value: 120, step: 10 });
  readonly element: HTMLElement;

  constructor() {
    this.element = h("details", { class: "options", hidden: true }, h("summary", {}, "Options"),
      h("div", { class: "fields" },
        this.field("data", "Rows", "--data", this.data), this.field("target", "Target columns", "--target", this.target),
        this.field("activation", "Activation", "--activation", this.activation),
        this.field("limit", "Seconds to search, 0 for no limit", "--time-limit", this.limit)),
      h("p", { class: "note" }, "They count from the next time that you press Solve again."));
    this.tables([]);
  }

  private field(id: string, text: string, name: string, input: HTMLElement): HTMLElement {
    return h("p", {}, h("label", { for: id }, text, " ", h("code", {}, name)), input);
  }

  // The files that may be the rows.
  tables(files: string[]): void {
    this.data.replaceChildren(h("option", { value: "" }, "the one there is"),
      ...files.map((file) => h("option", { value: file }, file)));
  }

  reading(): { data?: string; target?: string; activation?: string } {
    return {
      ...(this.data.value ? { data: this.data.value } : {}),
      ...(this.target.value.trim() ? { target: this.target.value.trim() } : {}),
      ...(this.activation.value ? { activation: this.activation.value } : {}),
    };
  }

  timeLimit(): number {
    const seconds = Number(this.limit.value);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : 120;
  }
}
