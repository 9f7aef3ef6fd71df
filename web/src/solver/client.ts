// The page's end of the worker.
import type { Calls, Dropped, Name, News, Reply, Task } from "./protocol.js";

// How this page makes a worker: from what is inlined in it, or from files beside it.
export interface Maker {
  threads: number;
  worker(): Worker;
  start(): Promise<Extract<Task, { kind: "start" }>>;
}

interface Waiting { resolve(value: unknown): void; reject(error: Error): void }

export class Client {
  onNews: (news: News) => void = () => undefined;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private readonly started: Promise<unknown>;
  private last = 0;

  constructor(readonly maker: Maker) {
    this.worker = maker.worker();
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(new Error(`the library stopped: ${event.message || "its worker did not load"}`));
    };
    this.started = maker.start().then((task) => this.send(task));
    this.started.catch(() => undefined);  // whoever asks for something hears of it
  }

  async call<K extends Name>(name: K, request: Calls[K]["request"]): Promise<Calls[K]["answer"]> {
    return await this.ask({ kind: "call", name, request }) as Calls[K]["answer"];
  }
  put(files: Dropped[]): Promise<unknown> { return this.ask({ kind: "put", files }); }
  remove(path: string): Promise<unknown> { return this.ask({ kind: "remove", path }); }
  async take(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return await this.ask({ kind: "take", path }) as Uint8Array<ArrayBuffer>;
  }

  // At once, whatever it is doing; nobody hears of this worker again.
  stop(): void {
    this.worker.terminate();
    this.waiting.clear();
    this.onNews = () => undefined;
  }

  private async ask(task: Task): Promise<unknown> {
    await this.started;
    return this.send(task);
  }

  private send(task: Task): Promise<unknown> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, task });
    });
  }

  private hear(reply: Reply): void {
    if ("news" in reply) return this.onNews(reply.news);
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ("error" in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.value);
  }

  private fail(error: Error): void {
    this.waiting.forEach(({ reject }) => reject(error));
    this.waiting.clear();
  }
}
