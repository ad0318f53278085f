import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { reasonOf } from "../../base/coded-error.ts";
import { createFile } from "../../base/files/index.ts";
import { fileTrouble } from "../../base/file-trouble.ts";
import { valueInline } from "../../base/quoted.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { Anchor, AnchorEntry } from "../ledger/anchor.ts";
import { entryOf, FREE, HEADING, LINE_BYTES, slotOf } from "./slots.ts";

const { O_RDWR, O_RDONLY, O_APPEND, O_NOFOLLOW = 0 } = constants;

/** How long positions are collected that need not be noted at once. */
const SOON_MS = 100;

/** Options of an anchor file. */
export interface AnchorFileOptions {
  /** Created for its owner only, with the first event that is written. */
  readonly file: string;
  /** Called once, when positions cannot be noted. */
  readonly warn?: ((warning: string) => void) | undefined;
}

/**
 * An anchor in a file, which several processes share. A position is written into its line after its commit, without a
 * sync: a kill of the process loses nothing, and after a power cut the file is behind the database at most. The file is
 * opened for each write, so that one which was moved, removed or replaced is noticed.
 */
export class AnchorFile implements Anchor {
  readonly place: string;
  readonly #warn: (warning: string) => void;
  /** Where the line of a ledger was; checked before each use. */
  readonly #offsets = new Map<string, number>();
  readonly #soon = new Map<string, AnchorEntry>();
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor({ file, warn = () => undefined }: AnchorFileOptions) {
    this.place = file;
    this.#warn = warn;
  }

  read(workflow_id: string): AnchorEntry | undefined {
    const known = this.#attempt(() => this.#atKnownPlace(workflow_id));
    if (known) return known;
    let latest: AnchorEntry | undefined;
    // Two processes that note a new ledger at the same moment write two lines.
    for (const { entry } of this.#linesOf(workflow_id))
      if (entry.event_seq >= (latest?.event_seq ?? 0))
        latest = { ...entry, fencing_token: Math.max(entry.fencing_token, latest?.fencing_token ?? 0) };
    return latest;
  }

  /** Returns the line of a ledger where it was before: asked before every event. */
  #atKnownPlace(workflow_id: string): AnchorEntry | undefined {
    const offset = this.#offsets.get(workflow_id);
    if (offset === undefined || !existsSync(this.place)) return undefined;
    const entry = withFile(this.place, O_RDONLY, (handle) => entryOf(lineAt(handle, offset)));
    return entry?.workflow_id === workflow_id ? entry : undefined;
  }

  entries(): AnchorEntry[] {
    const bytes = this.#content();
    const entries = [];
    for (let offset = LINE_BYTES; offset < bytes.length; offset += LINE_BYTES) {
      const entry = entryOf(bytes.toString("latin1", offset, offset + LINE_BYTES));
      if (entry) entries.push(entry);
    }
    return entries;
  }

  advance(entry: AnchorEntry, when: "at once" | "soon"): void {
    if (when === "at once") return this.#note(entry);
    this.#soon.set(entry.workflow_id, entry);
    this.#timer ??= setTimeout(() => this.flush(), SOON_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const entry of this.#soon.values()) this.#note(entry);
  }

  #note(entry: AnchorEntry): void {
    this.#soon.delete(entry.workflow_id);
    try {
      this.#write(entry, (known) => known.event_seq < entry.event_seq);
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      this.#warn(
        `the end of the ledger cannot be noted in ${this.place}: ${fileTrouble(error)?.found ?? reasonOf(error)}. An older ` +
          "copy of the store would not be noticed.",
      );
    }
  }

  reset(entry: AnchorEntry): void {
    this.remove(entry.workflow_id);
    this.#attempt(() => this.#write(entry, () => true));
  }

  remove(workflow_id: string): void {
    this.#soon.delete(workflow_id);
    const places = this.#linesOf(workflow_id);
    if (places.length === 0) return;
    this.#attempt(() =>
      withFile(this.place, O_RDWR, (handle) => {
        for (const { offset } of places) writeSync(handle, FREE, offset);
        fsyncSync(handle);
      }),
    );
  }

  /** Writes the line of a ledger in place, or a new one at the end of the file. */
  #write(entry: AnchorEntry, isDue: (known: AnchorEntry) => boolean): void {
    if (!existsSync(this.place)) this.#make();
    withFile(this.place, O_RDWR, (handle) => {
      const { size } = fstatSync(handle);
      const offset = this.#offsets.get(entry.workflow_id) ?? -1;
      const known = offset < 0 || offset >= size ? undefined : entryOf(lineAt(handle, offset));
      if (known?.workflow_id !== entry.workflow_id) return this.#find(entry, isDue);
      if (!isDue(known)) return;
      writeSync(
        handle,
        slotOf({ ...entry, fencing_token: Math.max(known.fencing_token, entry.fencing_token) }),
        offset,
      );
    });
  }

  /** Makes the file, for the owner of its folder: a command that root runs must not lock the others out. */
  #make(): void {
    try {
      createFile(this.place, HEADING);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }

  /** Looks for the line of a ledger; writes a new one if there is none. */
  #find(entry: AnchorEntry, isDue: (known: AnchorEntry) => boolean): void {
    const found = this.#linesOf(entry.workflow_id).at(-1);
    if (found) {
      this.#offsets.set(entry.workflow_id, found.offset);
      if (isDue(found.entry)) this.#write(entry, isDue);
      return;
    }
    // A power cut can leave a file without its content.
    withFile(this.place, O_RDWR, (handle) => writeSync(handle, HEADING, 0));
    withFile(this.place, O_RDWR | O_APPEND, (handle) => {
      // A line that was cut is completed, so that the next one begins where a line does.
      const rest = fstatSync(handle).size % LINE_BYTES;
      writeSync(handle, (rest === 0 ? "" : `${" ".repeat(LINE_BYTES - rest - 1)}\n`) + slotOf(entry));
      fsyncSync(handle);
    });
  }

  /** Returns the lines of a ledger. Searches bytes: the file has a line for every ledger of the store. */
  #linesOf(workflow_id: string): { readonly offset: number; readonly entry: AnchorEntry }[] {
    const bytes = this.#content();
    const lines = [];
    for (let at = bytes.indexOf(workflow_id); at >= 0; at = bytes.indexOf(workflow_id, at + LINE_BYTES)) {
      const entry = at % LINE_BYTES === 0 ? entryOf(bytes.toString("latin1", at, at + LINE_BYTES)) : undefined;
      if (entry?.workflow_id === workflow_id) lines.push({ offset: at, entry });
    }
    return lines;
  }

  #content(): Buffer {
    const bytes = this.#attempt(() => readAnchor(this.place));
    const heading = bytes.toString("latin1", 0, LINE_BYTES);
    if (heading.startsWith(HEADING.trimEnd()) || /^\0*$/.test(heading)) return bytes;
    throw continuityError("foreign", {
      expected: `an anchor of a continuity store at ${this.place}`,
      found: `another file, which begins with ${valueInline(bytes.toString("utf8", 0, 40))}`,
      todo: "Move that file away, or name another anchor. The file was not changed.",
    });
  }

  #attempt<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      const trouble = fileTrouble(error);
      if (error instanceof ContinuityError || !trouble) throw error;
      throw continuityError("not-writable", {
        expected: `the anchor of the store at ${this.place} to be read and written`,
        found: trouble.found,
        todo: `${trouble.todo} Nothing was executed.`,
        cause: error,
      });
    }
  }
}

function readAnchor(file: string): Buffer {
  try {
    return withFile(file, O_RDONLY, (handle) => readFileSync(handle));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

function lineAt(handle: number, offset: number): string {
  const bytes = Buffer.alloc(LINE_BYTES);
  return bytes.toString("latin1", 0, readSync(handle, bytes, 0, LINE_BYTES, offset));
}

function withFile<Value>(file: string, flags: number, work: (handle: number) => Value): Value {
  const handle = openSync(file, flags | O_NOFOLLOW);
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}
