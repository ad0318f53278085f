/** Which guards this process has loaded: a property of `globalThis` that bundles of ours share. */
import type { validate } from "../../transcript/validate.ts";
import type { check, heal } from "../../wire/heal.ts";
import type { prepare } from "../../wire/prepare.ts";

/** Functions of a guard that change nothing outside of their arguments, and count nothing. */
export interface LoadedGuard {
  readonly validate: typeof validate;
  readonly prepare: typeof prepare;
  readonly check: typeof check;
  readonly heal: typeof heal;
}

const LOADED = Symbol.for("openclaw-integrity.guards.v1");

function loaded(): Map<string, LoadedGuard> {
  const shared = globalThis as { [LOADED]?: Map<string, LoadedGuard> };
  return (shared[LOADED] ??= new Map());
}

/** Records that the guard with this URL was loaded. */
export function noteLoaded(url: string, guard: LoadedGuard): void {
  loaded().set(url, guard);
}

/** The guard with this URL; undefined where no file of this process has imported it. */
export function findLoaded(url: string): LoadedGuard | undefined {
  return loaded().get(url);
}
