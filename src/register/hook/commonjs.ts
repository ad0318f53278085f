/**
 * CommonJS modules that are imported. When there is a load hook, Node gives them a `require` of its own, and the one of
 * earlier versions fails at an ES module whose imports go in a circle ("request for './index.js' is not in cache"):
 * OpenClaw 2026.2.3 does not start with it, whatever the hook does.
 */
import type { LoadFnOutput, LoadHookContext } from "node:module";

/** The first minor version of each major one in which `require` of an imported module works beside a load hook. */
const MENDED: Readonly<Record<number, number>> = { 22: 23, 23: Infinity, 24: 12 };

/** Whether this is a version of Node with that fault. */
export function hasFaultyRequire(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return minor < (MENDED[major] ?? 0);
}

/** Whether a module is asked for under a condition; Node names them in a set or in a list, by its version. */
export function hasCondition(conditions: Iterable<string>, condition: "import" | "require"): boolean {
  return [...conditions].includes(condition);
}

/** Node has put a module that is not loaded yet into the cache; `require` would give that one. */
const THROUGH_REQUIRE = [
  '{ const { _cache, createRequire } = process.getBuiltinModule("node:module");',
  "if (_cache[__filename] === module) delete _cache[__filename];",
  "module.exports = createRequire(__filename)(__filename); return; }",
].join(" ");

/**
 * An imported CommonJS module that loads itself by the usual `require`, as Node does it without a hook. Its text stays
 * behind that, where Node reads the names of its exports. Any other module is passed on as it is.
 */
export function throughRequire(loaded: LoadFnOutput, { conditions }: LoadHookContext): LoadFnOutput {
  const { format, source } = loaded;
  if (format !== "commonjs" || !hasCondition(conditions, "import") || source === undefined || source === null)
    return loaded;
  const text = typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString();
  // A line of "#!" may only be the first one.
  return { ...loaded, source: `${THROUGH_REQUIRE}${text.startsWith("#!") ? "//" : ""}${text}` };
}
