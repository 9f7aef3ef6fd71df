// The page that solves: drop the pieces and the rows, watch the net come back together.
import type { Report } from "../data.js";
import { h } from "../dom.js";
import { header } from "../frame.js";
import { mount } from "../panel.js";
import { copyButton } from "../panels/permutation.js";
import { verdict } from "../panels/verdict.js";
import { sections } from "../sections.js";
import { Client } from "./client.js";
import { fromChooser, fromDrop, root, size } from "./files.js";
import type { Item } from "./files.js";
import { explained, recognised } from "./found.js";
import { maker as makers } from "./makers.js";
import { Options } from "./options.js";
import type { Made, News, Progress } from "./protocol.js";
import { save } from "./save.js";

const megabyte = 1 << 20;
const most = 256 * megabyte;  // of files: solving takes up to eight times that, and a page has 2 GB
const few = 4;                // of the inputs are named in the report
const ownPuzzle = "a-net-of-our-own";

// The search's way with its end, as the whole report will have it.
function ended(report: Report): Report {
  const order = (report.blocks ?? []).map((block) => block.in);
  const way = [...(report.anatomy?.way ?? []), { what: "end" as const, mse: report.certificate?.mse ?? null, order }];
  return { ...report, anatomy: { ...report.anatomy, way } };
}

// The fresh report, in which whatever says the same as before is the same object: it is not drawn again.
function settled(old: Report, fresh: Report): Report {
  const keep = <T extends object>(before: T | undefined, now: T): T => Object.fromEntries(Object.entries(now).map(([key, value]) => {
    const known = before?.[key as keyof T];
    return [key, JSON.stringify(known) === JSON.stringify(value) ? known : value];
  })) as T;
  const report = keep(old, fresh);
  if (fresh.anatomy) report.anatomy = keep(old.anatomy, fresh.anatomy);
  return report;
}

const stages: Record<string, string> = {
  read: "Reading the files", pair: "Pairing the pieces", order: "Ordering the blocks",
  verify: "Checking every rival", train: "Training a net to drop",
};

type State = "empty" | "working" | "solved" | "failed" | "cancelled";

class Page {
  private readonly maker = makers();
  private client = new Client(this.maker);
  private items: Item[] = [];
  private made: Made | undefined;
  private sent = new Map<Item, string>();  // what this worker has, and where its root is there
  private live: Report = {};

  private readonly status = h("p", { role: "status", class: "status" });
  private readonly bar = h("div", { class: "bar", role: "progressbar", "aria-label": "Progress" }, h("i", {}));
  private readonly cancel = h("button", { type: "button", id: "cancel", click: () => this.stop() }, "Cancel");
  private readonly note = h("p", { class: "note" });
  private readonly working = h("div", { class: "working", hidden: true }, this.status, this.bar, this.cancel, this.note);
  private readonly found = h("ul", { class: "found", "aria-label": "What was recognised", hidden: true });
  private readonly problem = h("div", { class: "problem", role: "alert", hidden: true });
  private readonly result = h("div", { id: "result", hidden: true, tabindex: -1 });
  private readonly options = new Options();
  private readonly again = h("button", { type: "button", id: "again", hidden: true, click: () => void this.solve() }, "Solve again");
  private readonly over = h("button", { type: "button", id: "over", hidden: true, click: () => this.startOver() }, "Start over");
  private readonly folders = h("input", { type: "file", id: "folder", class: "off-screen", webkitdirectory: true, multiple: true, tabindex: -1, "aria-hidden": "true" });
  private readonly files = h("input", { type: "file", id: "files", class: "off-screen", multiple: true, tabindex: -1, "aria-hidden": "true" });
  private readonly main: HTMLElement;
  private panels: { update(report: Report): void };
  private readonly drawn = h("div", { id: "panels" });

  constructor(page: HTMLElement) {
    this.main = h("main", { "data-state": "empty", "data-threads": this.maker.threads }, this.intro(), this.drop(), this.found, this.problem, this.working,
      this.result, h("div", { class: "after" }, this.again, this.over), this.options.element, this.drawn);
    page.append(header("puts dropped neural nets back together"), this.main,
      h("footer", {}, "Everything happens in this page: no file, no number and no name leaves it."));
    this.panels = mount(this.drawn, sections);
    this.listen();
  }

  // ------------------------------------------------------------------------------------ the page

  private intro(): HTMLElement {
    return h("div", { class: "intro" },
      h("h1", {}, "Drop your net."),
      h("p", { class: "words" }, "Give this page the shuffled, unlabelled layers of a residual network and some rows of its answers. " +
        "It finds which layers belong together and in what order they run, and says how sure that is. Nothing is uploaded."),
      h("p", { class: "note" }, "No net at hand? Try one of our own, trained in this page in a moment, or Jane Street’s ",
        h("a", { href: "https://huggingface.co/spaces/jane-street/droppedaneuralnet", rel: "noreferrer" }, "I dropped a neural net"),
        ": 97 pieces, about 10", h("sup", {}, "122"), " arrangements, one answer."));
  }

  private drop(): HTMLElement {
    const choose = (input: HTMLInputElement, text: string, id: string) =>
      h("button", { type: "button", id, click: () => input.click() }, text);
    return h("div", { class: "drop", id: "drop" },
      h("p", { class: "drop-title" }, "Drop pieces and rows here"),
      h("p", { class: "note" }, "A folder, many files, a zip, or one checkpoint (.pth, .safetensors, .npz, .onnx, .gguf), with the CSV of rows."),
      h("p", { class: "choices" },
        choose(this.folders, "Choose a folder", "choose-folder"), choose(this.files, "Choose files", "choose-files"),
        h("button", { type: "button", class: "primary", id: "try", click: () => void this.tryIt() }, "Try it with a net of our own")),
      this.folders, this.files);
  }

  private listen(): void {
    for (const input of [this.folders, this.files])
      input.addEventListener("change", () => {
        if (input.files) this.add(fromChooser(input.files));
        input.value = "";
      });
    const over = (event: DragEvent, inside: boolean) => {
      event.preventDefault();
      document.body.classList.toggle("dragging", inside);
    };
    window.addEventListener("dragover", (event) => over(event, true));
    window.addEventListener("dragleave", (event) => over(event, event.relatedTarget !== null));
    window.addEventListener("drop", (event) => {
      over(event, false);
      if (event.dataTransfer)
        fromDrop(event.dataTransfer).then((items) => this.add(items), () => this.refuse(
          "This browser does not let the page read what was dropped. Choose the folder or the files instead."));
    });
  }

  private show(state: State): void {
    this.main.dataset["state"] = state;
    this.working.hidden = state !== "working";
    this.problem.hidden = state !== "failed" && state !== "cancelled";
    this.result.hidden = state !== "solved";
    this.drawn.hidden = state !== "working" && state !== "solved";
    this.again.hidden = state === "working" || (this.items.length === 0 && !this.made);
    this.over.hidden = state === "empty" || state === "working";
    this.options.element.hidden = this.again.hidden;
  }

  // ------------------------------------------------------------------------------------ the work

  // What is dropped is added to what is here; a name that is here already is replaced.
  private add(items: Item[]): void {
    if (items.length === 0) return;
    const kept = this.made ? [] : this.items.filter((old) => !items.some(({ name }) => name === old.name));
    const total = size([...kept, ...items]);
    if (total > most) return this.refuse(`These files are ${Math.ceil(total / megabyte)} MB; a page takes ${most / megabyte} MB in all. ` +
      "The program itself takes as much as the machine has: humpty solve FOLDER.");
    this.made = undefined;
    this.items = [...kept, ...items];
    void this.solve();
  }

  private async tryIt(): Promise<void> {
    this.startClean();
    this.items = [];
    this.made = undefined;
    await this.attempt(async (client) => {
      this.made = await client.call("make", { folder: ownPuzzle, rng: 4, threads: this.maker.threads });
      await this.run(client, [ownPuzzle]);
    });
  }

  private async solve(): Promise<void> {
    if (this.made) return this.tryIt();
    this.startClean();
    await this.attempt(async (client) => this.run(client, await this.send(client)));
  }

  // One attempt at a time; what belongs to one that was cancelled is not heard.
  private async attempt(work: (client: Client) => Promise<void>): Promise<void> {
    const client = this.client;
    this.live = {};
    this.resetPanels();
    this.found.hidden = true;
    this.show("working");
    this.progress({ stage: "read", done: -1, note: "" });
    client.onNews = (news) => this.hear(news);
    try {
      await work(client);
    } catch (error) {
      if (client === this.client) await this.explain(client, error instanceof Error ? error.message : String(error));
    }
  }

  private async run(client: Client, paths: string[]): Promise<void> {
    const solution = await client.call("solve", { ...this.reading(paths), timeLimit: this.options.timeLimit(), command: "dropped on humpty's page",
      inputs: paths.length > few ? [...paths.slice(0, few), `and ${paths.length - few} more`] : paths });
    if (client !== this.client) return;
    this.solved(ended({ ...this.live, ...solution }));
    const whole = await client.call("report", {});  // has more to draw, and takes as long as the solving
    if (client !== this.client) return;
    this.draw(whole);
    this.main.dataset["report"] = "whole";
  }

  private reading(paths: string[]) {
    return { paths, threads: this.maker.threads, ...this.options.reading() };
  }

  // Puts whatever the worker does not have yet into its folder; gives the paths to read.
  private async send(client: Client): Promise<string[]> {
    for (const old of [...this.sent.keys()])
      if (!this.items.includes(old)) {
        await client.remove(old.archive ? `${old.name} unpacked` : old.name);
        this.sent.delete(old);
      }
    for (const item of this.items) {
      if (this.sent.has(item)) continue;
      await client.put(item.files);
      this.sent.set(item, item.archive ? await this.unpack(client, item) : root(item.files.map(({ path }) => path)));
    }
    return [...this.sent.values()];
  }

  private async unpack(client: Client, { name }: Item): Promise<string> {
    const folder = `${name} unpacked`;
    const paths = await client.call("unpack", { archive: name, folder, limit: most });
    await client.remove(name);
    return root(paths);
  }

  // ------------------------------------------------------------------------------------ the news

  private hear(news: News): void {
    if (!("report" in news)) return this.progress(news);
    // Unsolved as long as nothing else is shown; what the library has not found yet is left out.
    const { puzzle, anatomy, pieces, seed, seed_mse, rounds } = news.report;
    const found = { puzzle, anatomy, pieces, seed, seed_mse, rounds, verdict: "unsolved", blocks: [] } as unknown as Report;
    if (puzzle && this.found.hidden) this.recognise(recognised(puzzle));
    this.draw(found);
  }

  private draw(report: Report): void {
    const before = this.live.anatomy?.way;
    this.live = settled(this.live, report);
    this.panels.update(this.live);
    const moves = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (moves && this.live.anatomy?.way !== before)
      this.drawn.querySelector<HTMLButtonElement>("#order button.play")?.click();
  }

  private recognise(lines: string[]): void {
    this.found.replaceChildren(...lines.map((line) => h("li", {}, line)));
    this.found.hidden = false;
  }

  private progress({ stage, done, note }: Progress): void {
    this.status.textContent = stages[stage] ?? stage;
    this.note.textContent = note;
    this.main.dataset["stage"] = stage;
    const unknown = done <= 0;
    this.bar.classList.toggle("unknown", unknown);
    if (unknown) this.bar.removeAttribute("aria-valuenow");
    else this.bar.setAttribute("aria-valuenow", String(Math.round(100 * done)));
    this.bar.style.setProperty("--done", `${Math.max(0, 100 * done)}%`);
  }

  private solved(report: Report): void {
    const same = this.made && this.made.permutation.join() === report.permutation?.join();
    this.result.replaceChildren(verdict(report),
      this.made ? h("p", { class: "note", id: "compared" }, same
        ? "The trainer kept the true order to compare with: it is this one."
        : "The trainer kept the true order to compare with: it is another one.") : "",
      this.takeaways(report));
    this.show("solved");
    this.draw(report);
    this.result.focus({ preventScroll: true });
  }

  private takeaways(report: Report): HTMLElement {
    const button = (id: string, text: string, click: () => void) => h("button", { type: "button", id, click }, text);
    const model = (ending: string) => button(`model-${ending}`, `.${ending}`, () => void this.download("model", `humpty-model.${ending}`));
    return h("div", { class: "takeaways" },
      h("div", {}, h("h3", {}, "The permutation"), copyButton(report.permutation?.join(",") ?? "", "permutation")),
      h("div", {}, h("h3", {}, "The net, put together"), h("p", { class: "actions" }, ...["safetensors", "pth", "onnx"].map(model))),
      h("div", {}, h("h3", {}, "The report"), h("p", { class: "actions" },
        button("save-report", "Page", () => void this.download("page", "humpty-report.html")),
        button("save-json", "JSON", () => save(`${JSON.stringify(this.live, null, 2)}\n`, "humpty-solution.json", "application/json")))));
  }

  private async download(what: "model" | "page", file: string): Promise<void> {
    const client = this.client;
    try {
      await client.call(what, { file });
      save(await client.take(file), file, what === "page" ? "text/html" : "application/octet-stream");
    } catch (error) {
      this.problem.replaceChildren(h("p", { class: "line" }, error instanceof Error ? error.message : String(error)));
      this.problem.hidden = false;  // the answer stays
    }
  }

  // ------------------------------------------------------------------------------------ what went wrong

  private refuse(line: string, more?: HTMLElement): void {
    this.problem.replaceChildren(h("p", { class: "line" }, line), more ?? "");
    this.show("failed");
  }

  private async explain(client: Client, line: string): Promise<void> {
    this.refuse(line);
    try {
      const paths = await this.send(client);
      if (paths.length === 0) return;
      const inspection = await client.call("inspect", this.reading(paths));
      if (client !== this.client || this.main.dataset["state"] !== "failed") return;
      this.options.tables(inspection.tables.map(({ file }) => file));
      this.refuse(line, explained(inspection, line));
    } catch {
      // The line says it already.
    }
  }

  // ------------------------------------------------------------------------------------ stopping

  private fresh(): void {
    this.client.stop();
    this.client = new Client(this.maker);
    this.sent.clear();
  }

  // Whatever the worker is doing or holds, the next attempt begins without it.
  private startClean(): void {
    if (this.main.dataset["state"] !== "empty") this.fresh();
    delete this.main.dataset["report"];
  }

  private stop(): void {
    this.fresh();
    this.problem.replaceChildren(h("p", { class: "line" }, this.items.length > 0 ? "Cancelled. The files are still here." : "Cancelled."));
    this.show("cancelled");
    (this.again.hidden ? this.over : this.again).focus();
  }

  private startOver(): void {
    this.fresh();
    this.items = [];
    this.made = undefined;
    this.found.hidden = true;
    this.options.tables([]);
    this.resetPanels();
    this.show("empty");
    document.getElementById("choose-folder")?.focus();
  }

  private resetPanels(): void {
    this.drawn.replaceChildren();
    this.panels = mount(this.drawn, sections);
  }
}

const page = document.getElementById("page");
if (page) new Page(page);
