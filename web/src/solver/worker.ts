// The worker: has the library, does one thing after the other, so that the page never freezes.
import { Engine } from "./engine.js";
import type { Factory } from "./engine.js";
import type { Calls, Name, Reply, Task } from "./protocol.js";

declare const createHumpty: Factory;  // emscripten's script stands before this one or is imported
declare function importScripts(...scripts: string[]): void;

let engine: Engine | undefined;

function say(reply: Reply, transfer: Transferable[] = []): void {
  (self as unknown as { postMessage(message: Reply, transfer: Transferable[]): void }).postMessage(reply, transfer);
}

async function perform(task: Task): Promise<unknown> {
  if (task.kind === "start") {
    if (task.script) importScripts(task.script);
    engine = await Engine.start(createHumpty, (news) => say({ news }), task.module, task.script);
    return null;
  }
  if (!engine) throw new Error("the library did not start");
  switch (task.kind) {
    case "put":
      for (const { path, file } of task.files) engine.put(path, new Uint8Array(await file.arrayBuffer()));
      return null;
    case "remove": return engine.remove(task.path);
    case "call": return engine.call(task.name, task.request as Calls[Name]["request"]);
    case "take": return engine.take(task.path);
  }
}

async function answer(id: number, task: Task): Promise<void> {
  try {
    const value = await perform(task);
    say({ id, value }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
  } catch (error) {
    say({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

// A file takes its time to be read; what is asked meanwhile waits.
let last = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<{ id: number; task: Task }>) => {
  last = last.then(() => answer(data.id, data.task));
};
