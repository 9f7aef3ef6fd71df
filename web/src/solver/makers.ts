// Where the worker's parts come from. In the page of one file they are inlined: the scripts as text,
// the wasm packed by gzip in base64. On a host they are files beside it, and where that host isolates
// its pages (COOP and COEP) there is a build with threads.
import { bytes } from "../data.js";
import type { Maker } from "./client.js";

const mostThreads = 8;

function inlined(id: string): string {
  return document.getElementById(id)?.textContent?.trim() ?? "";
}

async function unpacked(base64: string): Promise<BufferSource> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old for this page: it needs Chrome 91, Firefox 113, Safari 16.4, or newer.");
  const stream = new Blob([bytes(base64) as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function oneFile(): Maker {
  const script = URL.createObjectURL(new Blob([inlined("humpty-worker")], { type: "text/javascript" }));
  const module = unpacked(inlined("humpty-wasm")).then((wasm) => WebAssembly.compile(wasm));
  module.catch(() => undefined);
  return {
    threads: 1,
    worker: () => new Worker(script),
    start: async () => ({ kind: "start", module: await module }),
  };
}

function hosted(): Maker {
  const isolated = window.crossOriginIsolated && typeof SharedArrayBuffer !== "undefined";
  const threads = isolated ? Math.min(navigator.hardwareConcurrency || 1, mostThreads) : 1;
  const script = new URL(threads > 1 ? "humpty-threads.js" : "humpty-core.js", location.href).href;
  return {
    threads,
    worker: () => new Worker("worker.js"),
    start: () => Promise.resolve({ kind: "start", script }),
  };
}

export const maker: () => Maker = () => (inlined("humpty-wasm") ? oneFile() : hosted());
