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
import { describeError } from "../../base/coded-error.ts";
import { createFile } from "../../base/files/index.ts";
import { fileTrouble } from "../../base/file-trouble.ts";
import { valueInline } from "../../base/quoted.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { Anchor, AnchorEntry } from "../ledger/anchor.ts";
import { parseSlot, FREE, HEADING, LINE_BYTES, formatSlot } from "./slots.ts";

const { O_RDWR, O_RDONLY, O_APPEND, O_NOFOLLOW = 0 } = constants;

/** How long positions are collected that need not be noted at once. */
const SOON_MS = 100;

/** A line of the file, and where it is. */
interface Line {
  readonly offset: number;
  readonly entry: AnchorEntry;
}

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
    return this.#attempt(() => this.#find(workflow_id)?.entry);
  }

  /** Returns the line of a ledger: where it was before, or the one with the latest event of all. */
  #find(workflow_id: string): Line | undefined {
    const before = this.#offsets.get(workflow_id);
    // Asked before every event: the file has a line for every ledger of the store.
    const known = before === undefined ? undefined : lineAt(this.place, before);
    if (known?.entry.workflow_id === workflow_id) return known;
    // Two processes that note a new ledger at the same moment write two lines.
    const lines = this.#lines(workflow_id).toSorted((a, b) => b.entry.event_seq - a.entry.event_seq);
    const [latest] = lines;
    if (!latest) return undefined;
    this.#offsets.set(workflow_id, latest.offset);
    const fencing_token = Math.max(...lines.map(({ entry }) => entry.fencing_token));
    return { ...latest, entry: { ...latest.entry, fencing_token } };
  }

  entries(): AnchorEntry[] {
    return this.#lines().map(({ entry }) => entry);
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
      this.#write(entry);
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      this.#warn(
        "the end of the ledger cannot be noted " +
          `in ${this.place}: ${fileTrouble(error)?.found ?? describeError(error)}. An older ` +
          "copy of the store would not be noticed.",
      );
    }
  }

  reset(entry: AnchorEntry): void {
    this.remove(entry.workflow_id);
    this.#attempt(() => this.#write(entry));
  }

  remove(workflow_id: string): void {
    this.#soon.delete(workflow_id);
    this.#attempt(() => {
      const places = this.#lines(workflow_id);
      if (places.length === 0) return;
      withFile(this.place, O_RDWR, (handle) => {
        for (const { offset } of places) writeSync(handle, FREE, offset);
        fsyncSync(handle);
      });
    });
  }

  /** Writes the line of a ledger in place, unless it has a later event, or a new one at the end of the file. */
  #write(entry: AnchorEntry): void {
    if (!existsSync(this.place)) this.#make();
    const found = this.#find(entry.workflow_id);
    if (found && found.entry.event_seq >= entry.event_seq) return;
    const fencing_token = Math.max(found?.entry.fencing_token ?? 0, entry.fencing_token);
    const line = formatSlot({ ...entry, fencing_token });
    if (found) return withFile(this.place, O_RDWR, (handle) => void writeSync(handle, line, found.offset));
    // A power cut can leave a file without its content.
    withFile(this.place, O_RDWR, (handle) => writeSync(handle, HEADING, 0));
    withFile(this.place, O_RDWR | O_APPEND, (handle) => {
      // A line that was cut is completed, so that the next one begins where a line does.
      const rest = fstatSync(handle).size % LINE_BYTES;
      writeSync(handle, (rest === 0 ? "" : `${" ".repeat(LINE_BYTES - rest - 1)}\n`) + line);
      fsyncSync(handle);
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

  /** Returns the lines of a ledger, or of all. Searches bytes: the file has a line for every ledger of the store. */
  #lines(workflow_id = ""): Line[] {
    const bytes = this.#attempt(() => readAnchor(this.place));
    const heading = bytes.toString("latin1", 0, LINE_BYTES);
    if (!heading.startsWith(HEADING.trimEnd()) && !/^\0*$/.test(heading))
      throw continuityError("foreign", {
        expected: `an anchor of a continuity store at ${this.place}`,
        found: `another file, which begins with ${valueInline(bytes.toString("utf8", 0, 40))}`,
        todo: "Move that file away, or name another anchor. The file was not changed.",
      });
    const lines = [];
    for (let at = 0; (at = bytes.indexOf(workflow_id, at)) >= 0 && at < bytes.length; at += LINE_BYTES) {
      const offset = at - (at % LINE_BYTES);
      const entry = offset === at ? parseSlot(bytes.toString("latin1", at, at + LINE_BYTES)) : undefined;
      if (entry) lines.push({ offset, entry });
    }
    return lines;
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

function lineAt(file: string, offset: number): Line | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = Buffer.alloc(LINE_BYTES);
  const read = withFile(file, O_RDONLY, (handle) => readSync(handle, bytes, 0, LINE_BYTES, offset));
  const entry = parseSlot(bytes.toString("latin1", 0, read));
  return entry && { offset, entry };
}

function withFile<Value>(file: string, flags: number, work: (handle: number) => Value): Value {
  const handle = openSync(file, flags | O_NOFOLLOW);
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}
