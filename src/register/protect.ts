/** Runs an OpenClaw patched: from the cache or by the engine, with each file checked when it is loaded. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { describeError } from "../base/coded-error.ts";
import { isGateway } from "../store/openclaw/gateway-argv.ts";
import { GUARD_FILE } from "../patching/base/guard-file.ts";
import { stateDirectory } from "../store/state-directory.ts";
import { announce, warn } from "./announce.ts";
import { cacheFolder, hashKey, readCache, writeCache } from "./cache.ts";
import type { Patched } from "./hook/hooks.ts";
import { markRegistered } from "./marker.ts";
import { isRequired, refuse } from "./required.ts";
import { recordRunning } from "./running.ts";
import { hookIn, withHook } from "./node-options.ts";
import { patchedText, type Served, type ServedFile } from "./served.ts";
import { readHookBuild, type HookBuild } from "./hook-build.ts";
import { ownCommand } from "../base/commands/own-command.ts";

interface Engine {
  planServed(root: string, guard: string): Served;
}

/**
 * Prepares the OpenClaw in `root`. `folder` is the one of the built hook, beside the guard. Returns undefined, and has
 * said why, when OpenClaw runs as it is on the disk. With `OPENCLAW_INTEGRITY=required` it ends the process instead.
 */
export function patch(root: string, folder: string): Patched | undefined {
  return withoutFailure(root, () => {
    const planner = new Planner(folder);
    const patched = new PatchedOpenclaw(planner.serve(root), planner);
    inChildren(pathToFileURL(join(folder, "index.mjs")).href);
    return patched;
  });
}

/** Works out the patches, with the cache in front of the engine. */
class Planner {
  readonly #folder: string;
  readonly #hook: HookBuild;

  constructor(folder: string) {
    this.#folder = folder;
    this.#hook = readHookBuild(folder);
  }

  get guard(): string {
    return this.#hook.guard;
  }

  /** The patch of an OpenClaw, from the cache if it has it. Throws what the engine throws. */
  serve(root: string): Served {
    const folder = cacheFolder(stateDirectory());
    const entry = { root, hook: this.#hook.identity };
    const key = hashKey(entry);
    const { served, warning } = readCache(folder, entry, key);
    if (served !== undefined) return served;
    const planned = this.plan(root);
    const unwritten = warning ?? writeCache(folder, entry, key, planned);
    if (unwritten !== undefined) warn(unwritten);
    return planned;
  }

  /** Works out the patch anew. Throws what the engine throws. */
  plan(root: string): Served {
    const name = existsSync(join(this.#folder, "engine.mjs")) ? "engine.mjs" : "engine.ts";
    const engine = createRequire(import.meta.url)(join(this.#folder, name)) as Engine;
    return engine.planServed(root, this.guard);
  }
}

class PatchedOpenclaw implements Patched {
  readonly guardUrl: string;
  readonly #planner: Planner;
  #served: Served;
  #files: ReadonlyMap<string, ServedFile>;
  #isSaid = false;

  constructor(served: Served, planner: Planner) {
    this.#planner = planner;
    this.#served = served;
    this.#files = byUrl(served);
    this.guardUrl = fileUrl(served.root, GUARD_FILE);
    markRegistered(served);
  }

  covers(url: string): boolean {
    return this.#files.has(url);
  }

  guard(): string {
    return this.#planner.guard;
  }

  patchedText(url: string, disk: string | Uint8Array): string | undefined {
    const { root } = this.#served;
    return withoutFailure(root, () => {
      const text = this.#patchedText(url, disk) ?? this.#planAnew()(url, disk);
      if (text === undefined)
        throw new Error(`expected ${url} as it was a moment ago; found another text. Restart OpenClaw.`);
      this.#say();
      return text;
    });
  }

  #patchedText(url: string, disk: string | Uint8Array): string | undefined {
    const file = this.#files.get(url);
    return file === undefined ? undefined : patchedText(file, disk);
  }

  /** Plans the patch again, for files that are others than it was made for: an update, or a cache that was copied. */
  #planAnew(): (url: string, disk: string | Uint8Array) => string | undefined {
    this.#served = this.#planner.plan(this.#served.root);
    this.#files = byUrl(this.#served);
    return (url, disk) => this.#patchedText(url, disk);
  }

  #say(): void {
    if (this.#isSaid) return;
    this.#isSaid = true;
    const { root, release, patchSet, known, leftOut, files } = this.#served;
    const untested = known ? "" : "; this release is not among the tested ones";
    const without = leftOut.length === 0 ? "" : `; without ${leftOut.map(({ point }) => point).join(", ")}`;
    announce(
      `OpenClaw ${release} runs patched from memory (register, patch set ${patchSet}, ${files.length} files); ` +
        `nothing in ${root} is changed${untested}${without}`,
    );
    if (!isMainThread || !isGateway()) return;
    try {
      recordRunning(stateDirectory(), { root, release, patchSet });
    } catch (error) {
      warn(
        `${ownCommand("status")} will not see this gateway, because its record could not be written ` +
          `(${describeError(error)})`,
      );
    }
  }
}

/** Hands the hook on to processes that OpenClaw starts, which `node --import` alone would leave without it. */
function inChildren(hook: string): void {
  const { NODE_OPTIONS } = process.env;
  if (isMainThread && hookIn(NODE_OPTIONS) === undefined) process.env["NODE_OPTIONS"] = withHook(NODE_OPTIONS, hook);
}

function withoutFailure<Value>(root: string, work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    const why = describeError(error);
    markRegistered({ root, release: "unknown", patchSet: "none", refused: why });
    if (isRequired()) refuse(why);
    warn(`OpenClaw in ${root} runs WITHOUT the patch: ${why}`);
    return undefined;
  }
}

function byUrl({ root, files }: Served): ReadonlyMap<string, ServedFile> {
  return new Map(files.map((one) => [fileUrl(root, one.file), one]));
}

function fileUrl(root: string, file: string): string {
  return pathToFileURL(join(root, file)).href;
}
