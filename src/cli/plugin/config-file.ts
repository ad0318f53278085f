/** OpenClaw's config on disk: the file that OpenClaw reads, and the files that it includes. */
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { putFile } from "../../store/archives/durable-file.ts";
import {
  parseJson5,
  withItem,
  withoutItem,
  withoutKey,
  withValue,
  type Json,
  type JsonObject,
  type KeyPath,
} from "./config-text.ts";
import { describeError, type RefusalParts } from "../../base/coded-error.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { pluginError } from "./errors.ts";

const INCLUDE = "$include";
// OpenClaw's own limit.
const MAX_INCLUDES = 10;

/** The location of a key: the file that contains it, and its path there. */
export interface Spot {
  readonly file: string;
  readonly at: KeyPath;
}

interface ConfigText {
  /** Undefined: the file did not exist. */
  readonly before: string | undefined;
  now: string;
}

/** The config with planned changes. Nothing is written before save(). */
export class ConfigDraft {
  readonly file: string;
  readonly #texts = new Map<string, ConfigText>();

  /** Throws `config-unreadable` for a config that cannot be read or is not JSON5, and for such an include. */
  constructor(file: string) {
    this.file = file;
    this.get([]);
  }

  /** Whether the file did not exist. */
  get isNew(): boolean {
    return this.#text(this.file).before === undefined;
  }

  /** Returns the value that OpenClaw reads for a key, with includes merged; undefined when there is none. */
  get(path: KeyPath): Json | undefined {
    return at(this.#merged(this.#valueIn(this.file), this.file, 0), path);
  }

  /** Returns the value at a location, without includes. */
  at({ file, at: path }: Spot): Json | undefined {
    return at(this.#valueIn(file), path);
  }

  /**
   * Returns where a key must be written: in the file in which OpenClaw's own commands would write it, if each object is
   * included from a single file.
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

  /**
   * Writes the changed files. Throws `config-changed` when a file has changed since it was read, `config-unreadable`
   * when it can no longer be read, and `not-writable`.
   */
  save(): void {
    const changed = [...this.#texts].filter(([, { before, now }]) => now !== (before ?? ""));
    for (const [file, { before }] of changed) {
      if (readConfigFile(file) === before) continue;
      throw pluginError("config-changed", {
        expected: `${file} as it was read a moment ago`,
        found: "another content",
        todo: "The file was changed at the same time; run the command again.",
      });
    }
    for (const [file, { now, before }] of changed)
      putFile(file, now, before === undefined ? 0o600 : statSync(file).mode & 0o777);
  }

  /** Restores all files to the content that was read; removes a file that did not exist. */
  restore(): void {
    for (const [file, { before }] of this.#texts) {
      if (before === undefined) rmSync(file, { force: true });
      else if (readConfigFile(file) !== before) putFile(file, before, statSync(file).mode & 0o777);
    }
  }

  /**
   * Whether OpenClaw's own commands can rewrite the config without a loss: they have written it before (it has `meta`),
   * it is a single file, and it has no comments. OpenClaw's commands drop comments, and OpenClaw replaces a config
   * without its former `meta` as damaged.
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
      throw noJson5(file, error);
    }
  }

  #valueIn(file: string): Json {
    const { now } = this.#text(file);
    try {
      return parseJson5(now);
    } catch (error) {
      throw noJson5(file, error);
    }
  }

  #text(file: string): ConfigText {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const before = readConfigFile(file);
    if (before === undefined && file !== this.file)
      throw unreadable("include", { expected: `the file ${file}, which OpenClaw's config includes`, found: "none" });
    const text: ConfigText = { before, now: before ?? "{}\n" };
    this.#texts.set(file, text);
    return text;
  }

  /**
   * Merges includes as OpenClaw does: objects by key, lists by concatenation; for other values the including file takes
   * precedence.
   */
  #merged(node: Json, file: string, depth: number): Json {
    if (Array.isArray(node)) return node.map((item: Json) => this.#merged(item, file, depth));
    if (!isObject(node)) return node;
    const { [INCLUDE]: include, ...rest } = node;
    const own: Json = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, this.#merged(value, file, depth)]),
    );
    if (include === undefined) return own;
    if (depth >= MAX_INCLUDES)
      throw unreadable("include", {
        expected: `at most ${MAX_INCLUDES} files that include each other in ${file}`,
        found: "more",
      });
    const files = (Array.isArray(include) ? include : [include]).map((path: Json) => included(file, String(path)));
    const base = files.map((path) => this.#merged(this.#valueIn(path), path, depth + 1)).reduce(merge);
    return Object.keys(rest).length === 0 ? base : merge(base, own);
  }
}

/** Returns whether a value is a JSON object. */
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

function readConfigFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw pluginError(
      "config-unreadable",
      refusedByDisk(error, {
        expected: `to read OpenClaw's config ${file}`,
        asOwner: "Run it as the user that OpenClaw runs as.",
        ending: "",
      }),
    );
  }
}

function noJson5(file: string, error: unknown): Error {
  return unreadable("text", {
    expected: `OpenClaw's config in ${file} to be JSON5`,
    found: describeError(error),
    cause: error,
  });
}

function unreadable(what: "text" | "include", parts: Omit<RefusalParts, "todo">): Error {
  const correct = what === "text" ? "Correct it" : "Correct what is included";
  return pluginError("config-unreadable", {
    ...parts,
    todo: `${correct} (openclaw doctor shows the errors) or name another file in OPENCLAW_CONFIG_PATH.`,
  });
}
