// What people drop and choose, as named bytes.
import type { Dropped } from "./protocol.js";

// One thing that was dropped: a folder, a file, or an archive that will become a folder.
export interface Item {
  name: string;         // in the worker's folder
  files: Dropped[];
  archive: boolean;
}

function item(name: string, files: Dropped[]): Item {
  const only = files.length === 1 && files[0]?.path === name;
  return { name, files, archive: only && /\.zip$/i.test(name) };
}

// Names are only ever names: no way up, nothing hidden.
function clean(path: string): string {
  return path.split("/").filter((part) => part !== "" && part !== "." && part !== "..").join("/");
}

const wanted = (path: string) => !path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");

function grouped(files: Dropped[]): Item[] {
  const tops = new Map<string, Dropped[]>();
  for (const each of files.filter(({ path }) => wanted(path))) {
    const top = each.path.split("/")[0] ?? "";
    tops.set(top, [...(tops.get(top) ?? []), each]);
  }
  return [...tops].map(([name, members]) => item(name, members));
}

// From <input type="file">, with or without folders.
export function fromChooser(list: FileList): Item[] {
  return grouped([...list].map((file) => ({ path: clean(file.webkitRelativePath || file.name), file })));
}

// Folders can be walked in two ways. Chromium refuses the older one, entries, to pages from disk;
// other browsers do not have the newer one, handles, for what is dropped.
interface FolderHandle {
  kind: "directory";
  name: string;
  values(): AsyncIterable<FolderHandle | FileHandle>;
}
interface FileHandle { kind: "file"; name: string; getFile(): Promise<File> }
type Handles = DataTransferItem & { getAsFileSystemHandle?(): Promise<FolderHandle | FileHandle | null> };

async function walkHandle(handle: FolderHandle | FileHandle, above = ""): Promise<Dropped[]> {
  const path = `${above}${handle.name}`;
  if (handle.kind === "file") return [{ path: clean(path), file: await handle.getFile() }];
  const found: Dropped[] = [];
  for await (const each of handle.values()) found.push(...await walkHandle(each, `${path}/`));
  return found;
}

function entries(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function walkEntry(entry: FileSystemEntry): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: clean(entry.fullPath), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (let some = await entries(reader); some.length > 0; some = await entries(reader))  // at most 100 at a time
    for (const each of some) found.push(...await walkEntry(each));
  return found;
}

// One thing dropped. What is to be had of it is had at once: the transfer is empty when the event is over.
function take(item: Handles): Promise<Dropped[]> {
  const file = item.getAsFile(), entry = item.webkitGetAsEntry();
  if (!entry?.isDirectory) return Promise.resolve(file ? [{ path: clean(file.name), file }] : []);
  const handle = item.getAsFileSystemHandle?.();
  return handle ? handle.then((found) => (found ? walkHandle(found) : walkEntry(entry))) : walkEntry(entry);
}

export async function fromDrop(transfer: DataTransfer): Promise<Item[]> {
  return grouped((await Promise.all([...transfer.items].filter(({ kind }) => kind === "file").map(take))).flat());
}

export function size(items: Item[]): number {
  return items.flatMap(({ files }) => files).reduce((sum, { file }) => sum + file.size, 0);
}

// The folder that matters: one that holds nothing but a folder is only its wrapping.
export function root(paths: string[]): string {
  const first = (paths[0] ?? "").split("/");
  for (let depth = 1; depth < first.length; ++depth) {
    const next = first[depth];
    const alone = paths.every((path) => path.split("/").length > depth + 1 && path.split("/")[depth] === next);
    if (!alone || next === "pieces") return first.slice(0, depth).join("/");
  }
  return first.join("/");
}
