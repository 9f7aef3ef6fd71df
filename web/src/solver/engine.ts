// The library compiled to WebAssembly, as an object: in a worker, or in node for the tests.
import type { Calls, Name, News } from "./protocol.js";

interface Files {
  mkdirTree(path: string): void;
  chdir(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options?: { canOwn: boolean }): void;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
  unlink(path: string): void;
  rmdir(path: string): void;
  analyzePath(path: string): { exists: boolean };
}

// What emscripten makes (web/wasm/CMakeLists.txt).
interface Module {
  FS: Files;
  _humpty_call(request: number): number;
  _malloc(size: number): number;
  _free(place: number): void;
  UTF8ToString(place: number): string;
  stringToUTF8(text: string, place: number, size: number): void;
  lengthBytesUTF8(text: string): number;
}
export type Factory = (options: Record<string, unknown>) => Promise<Module>;

const folder = "/puzzle";  // where it works: paths in messages are relative to it

export class Engine {
  private constructor(private readonly module: Module) {
    module.FS.mkdirTree(folder);
    module.FS.chdir(folder);
  }

  // Without a compiled module the factory fetches its own.
  static async start(factory: Factory, tell: (news: News) => void, compiled?: WebAssembly.Module,
                     script?: string): Promise<Engine> {
    const own = compiled && {
      instantiateWasm: (imports: WebAssembly.Imports, ready: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
        void WebAssembly.instantiate(compiled, imports).then((instance) => ready(instance, compiled));
        return {};
      },
    };
    return new Engine(await factory({
      ...own,
      ...(script ? { mainScriptUrlOrBlob: script } : {}),  // what its threads load
      tell: (text: string) => tell(JSON.parse(text) as News),
    }));
  }

  // Throws an Error with the library's own line.
  call<K extends Name>(name: K, request: Calls[K]["request"]): Calls[K]["answer"] {
    const text = JSON.stringify({ do: name, ...request });
    const size = this.module.lengthBytesUTF8(text) + 1;
    const place = this.module._malloc(size);
    this.module.stringToUTF8(text, place, size);
    const reply = this.module._humpty_call(place);
    this.module._free(place);
    const answer = JSON.parse(this.module.UTF8ToString(reply)) as { answer: Calls[K]["answer"]; error?: string };
    this.module._free(reply);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.answer;
  }

  put(path: string, bytes: Uint8Array): void {
    const above = path.lastIndexOf("/");
    if (above > 0) this.module.FS.mkdirTree(`${folder}/${path.slice(0, above)}`);
    this.module.FS.writeFile(`${folder}/${path}`, bytes, { canOwn: true });
  }

  // The file's bytes; it is gone then.
  take(path: string): Uint8Array {
    const bytes = this.module.FS.readFile(`${folder}/${path}`);
    this.module.FS.unlink(`${folder}/${path}`);
    return bytes;
  }

  remove(path: string): void {
    const { FS } = this.module;
    const clear = (at: string): void => {
      if (!FS.isDir(FS.stat(at).mode)) return FS.unlink(at);
      FS.readdir(at).filter((name) => name !== "." && name !== "..").forEach((name) => clear(`${at}/${name}`));
      FS.rmdir(at);
    };
    if (FS.analyzePath(`${folder}/${path}`).exists) clear(`${folder}/${path}`);
  }
}
