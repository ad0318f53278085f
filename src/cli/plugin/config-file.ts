/** OpenClaw's config on disk: the file it reads, with what that file includes. */
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { putFile } from "../../store/archives/durable-file.ts";
import {
  valueOf,
  withItem,
  withoutItem,
  withoutKey,
  withValue,
  type Json,
  type JsonObject,
  type KeyPath,
} from "./config-text.ts";
import { reasonOf, pluginError } from "./errors.ts";

const INCLUDE = "$include";
// OpenClaw's own bound.
const MAX_INCLUDES = 10;

/** One key of the config: the file it is written in, and where it stands there. */
export interface Spot {
  readonly file: string;
  readonly at: KeyPath;
}

interface ConfigText {
  /** Undefined: there was no such file. */
  readonly before: string | undefined;
  now: string;
}

/** The config as it is, and as it shall become. Nothing is written before save(). Issue 6, item 6. */
export class ConfigDraft {
  readonly file: string;
  readonly #texts = new Map<string, ConfigText>();

  /** Throws `config-unreadable` for a config that is no JSON5, or that includes what cannot be read. */
  constructor(file: string) {
    this.file = file;
    this.get([]);
  }

  /** Whether there was such a file. */
  get isNew(): boolean {
    return this.#text(this.file).before === undefined;
  }

  /** What OpenClaw reads under a key, with what is included; undefined when there is nothing. */
  get(path: KeyPath): Json | undefined {
    return at(this.#merged(this.#valueIn(this.file), this.file, 0), path);
  }

  /** What stands at a spot, without what is included. */
  at({ file, at: path }: Spot): Json | undefined {
    return at(this.#valueIn(file), path);
  }

  /**
   * Where a key is to be written: where OpenClaw's own commands would write it, as long as an object is included from
   * one file.
   */
  spot(path: KeyPath): Spot {
    let [file, walked, node] = [this.file, [] as KeyPath, this.#valueIn(this.file)];
    for (const [depth, key] of path.entries()) {
      for (
        let hops = 0;
        isObject(node) && typeof node[INCLUDE] === "string" && Object.keys(node).length === 1 && hops < MAX_INCLUDES;
        hops++
      ) {
        file = included(file, node[INCLUDE]);
        [walked, node] = [[], this.#valueIn(file)];
      }
      if (!isObject(node)) return { file, at: [...walked, ...path.slice(depth)] };
      [walked, node] = [[...walked, key], node[key] ?? {}];
    }
    return { file, at: walked };
  }

  /** Sets a key. */
  set(spot: Spot, value: Json): void {
    this.#edit(spot.file, (text) => withValue(text, spot.at, value));
  }

  /** Adds an item to a list. */
  add(spot: Spot, item: string): void {
    this.#edit(spot.file, (text) => withItem(text, spot.at, item));
  }

  /** Removes a key, or the items of a list that are equal to `item`. */
  remove(spot: Spot, item?: string): void {
    this.#edit(spot.file, (text) =>
      item === undefined ? withoutKey(text, spot.at) : withoutItem(text, spot.at, item),
    );
  }

  /** Writes what has changed. Throws `config-changed` when a file is no longer what was read, and `not-writable`. */
  save(): void {
    const changed = [...this.#texts].filter(([, { before, now }]) => now !== (before ?? ""));
    for (const [file, { before }] of changed) {
      if (contentsOf(file) === before) continue;
      throw pluginError("config-changed", {
        expected: `${file} as it was read a moment ago`,
        found: "another content",
        todo: "Somebody changes it at the same time; run this again.",
      });
    }
    for (const [file, { now, before }] of changed)
      putFile(file, now, before === undefined ? 0o600 : statSync(file).mode & 0o777);
  }

  /** Gives all files back as they were read; one that was not there is removed. */
  restore(): void {
    for (const [file, { before }] of this.#texts) {
      if (before === undefined) rmSync(file, { force: true });
      else if (contentsOf(file) !== before) putFile(file, before, statSync(file).mode & 0o777);
    }
  }

  /**
   * Whether OpenClaw's own commands can write it anew without a loss: it has done so before (`meta`), in one file, and
   * nobody has put comments in since. Its commands drop comments, and it takes a config that has lost its `meta` for
   * damaged and replaces it.
   */
  get isOpenClaws(): boolean {
    try {
      return (
        this.#texts.size === 1 &&
        isObject(this.at({ file: this.file, at: ["meta"] })) &&
        typeof JSON.parse(this.#text(this.file).now) === "object"
      );
    } catch {
      return false;
    }
  }

  #edit(file: string, change: (text: string) => string): void {
    const text = this.#text(file);
    try {
      text.now = change(text.now);
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  #valueIn(file: string): Json {
    try {
      return valueOf(this.#text(file).now);
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  #text(file: string): ConfigText {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const before = contentsOf(file);
    if (before === undefined && file !== this.file) throw unreadable(file, new Error("there is no such file"));
    const text: ConfigText = { before, now: before ?? "{}\n" };
    this.#texts.set(file, text);
    return text;
  }

  /** As OpenClaw merges: objects by key, lists one behind the other, of other values the including one counts. */
  #merged(node: Json, file: string, depth: number): Json {
    if (Array.isArray(node)) return node.map((item: Json) => this.#merged(item, file, depth));
    if (!isObject(node)) return node;
    const { [INCLUDE]: include, ...rest } = node;
    const own: Json = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, this.#merged(value, file, depth)]),
    );
    if (include === undefined) return own;
    if (depth >= MAX_INCLUDES) throw unreadable(file, new Error(`more than ${MAX_INCLUDES} files include each other`));
    const files = (Array.isArray(include) ? include : [include]).map((path: Json) => included(file, String(path)));
    const base = files.map((path) => this.#merged(this.#valueIn(path), path, depth + 1)).reduce(merge);
    return Object.keys(rest).length === 0 ? base : merge(base, own);
  }
}

/** Whether a value is an object of JSON. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merge(base: Json, over: Json): Json {
  if (Array.isArray(base) && Array.isArray(over)) return [...base, ...over];
  if (!isObject(base) || !isObject(over)) return over;
  return {
    ...base,
    ...Object.fromEntries(
      Object.entries(over).map(([key, value]) => [key, key in base ? merge(base[key] ?? null, value) : value]),
    ),
  };
}

function at(value: Json, path: KeyPath): Json | undefined {
  return path.reduce<Json | undefined>((node, key) => (isObject(node) ? node[key] : undefined), value);
}

function included(from: string, path: string): string {
  const file = isAbsolute(path) ? path : resolve(dirname(from), path);
  return existsSync(file) ? realpathSync(file) : file;
}

function contentsOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): Error {
  return pluginError("config-unreadable", {
    expected: `OpenClaw's config in ${file} to be JSON5`,
    found: reasonOf(error),
    todo: "Correct it (openclaw doctor tells what OpenClaw says of it) or name another one by OPENCLAW_CONFIG_PATH; nothing was changed.",
    cause: error,
  });
}
