/** The two hooks: they give Node the guard and the patched files of each OpenClaw, and pass everything else on. */
import type { LoadFnOutput, LoadHookSync, ResolveHookSync } from "node:module";
import { hasCondition, hasFaultyRequire, throughRequire } from "./commonjs.ts";
import { Neighbours } from "./neighbours.ts";
import { Places } from "./place.ts";

/** An OpenClaw that runs patched. */
export interface Patched {
  /** URL of the guard: in OpenClaw's dist, as if it lay there. One URL, so that all files share one guard. */
  readonly guardUrl: string;
  /** Whether the file of a URL is one of those that are patched. */
  covers(url: string): boolean;
  /** The guard's text. */
  guard(): string;
  /** The text of a patched file; undefined when the one on the disk must be taken as it is. */
  patchedText(url: string, disk: string | Uint8Array): string | undefined;
}

/** The end of the guard's import path. */
const GUARD_NAME = "/openclaw-integrity.mjs";

/**
 * Makes the hooks. `patch` is called once for each OpenClaw, when the first file of its dist is loaded; undefined means
 * that it runs as it is on the disk.
 */
export function hooksFor(patch: (root: string) => Patched | undefined): {
  readonly resolve: ResolveHookSync;
  readonly load: LoadHookSync;
} {
  const places = new Places();
  const neighbours = new Neighbours();
  const known = new Map<string, Patched | undefined>();
  const passedOn = hasFaultyRequire(process.versions.node) ? throughRequire : (loaded: LoadFnOutput) => loaded;
  const patchedAround = (url: string): Patched | undefined => {
    const root = places.findRoot(url);
    if (root === undefined) return undefined;
    if (!known.has(root)) {
      // While it is worked out, the engine's own modules are loaded.
      known.set(root, undefined);
      known.set(root, patch(root));
    }
    return known.get(root);
  };
  return {
    resolve(specifier, context, next) {
      const { parentURL = "", conditions } = context;
      if (!specifier.endsWith(GUARD_NAME)) {
        const isInside = specifier.startsWith(".") && places.findRoot(parentURL) !== undefined;
        const near =
          isInside && !hasCondition(conditions, "require") ? neighbours.findUrl(specifier, parentURL) : undefined;
        return near === undefined ? next(specifier, context) : { url: near, format: "module", shortCircuit: true };
      }
      const guardUrl = patchedAround(specifier.startsWith("file:") ? specifier : parentURL)?.guardUrl;
      return guardUrl === undefined
        ? next(specifier, context)
        : { url: guardUrl, format: "module", shortCircuit: true };
    },
    load(url, context, next) {
      const patched = patchedAround(url);
      if (patched === undefined) return passedOn(next(url, context), context);
      const end = url.search(/[?#]/);
      const plain = end < 0 ? url : url.slice(0, end);
      if (plain === patched.guardUrl) return { format: "module", source: patched.guard(), shortCircuit: true };
      const loaded = next(url, context);
      if (!patched.covers(plain) || loaded.source === undefined || loaded.source === null)
        return passedOn(loaded, context);
      const disk = typeof loaded.source === "string" ? loaded.source : toBytes(loaded.source);
      const source = patched.patchedText(plain, disk);
      return source === undefined ? loaded : { ...loaded, source };
    },
  };
}

function toBytes(source: ArrayBuffer | NodeJS.TypedArray): Uint8Array {
  return source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}
