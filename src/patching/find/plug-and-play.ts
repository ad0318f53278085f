/** Yarn Plug'n'Play: no node_modules; a manifest records where each package is, mostly in a zip archive. */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { patchError } from "../base/errors.ts";
import { type Locator, type PackageData, type PlugAndPlayData, readPlugAndPlay } from "./plug-and-play-data.ts";

/** Path of the Plug'n'Play manifest in `folder`, if there is one. */
export function plugAndPlayIn(folder: string): string | undefined {
  const manifest = join(folder, ".pnp.cjs");
  return existsSync(manifest) ? manifest : undefined;
}

/**
 * The folder of the OpenClaw that code in `from` would import; undefined when it does not depend on OpenClaw. Throws
 * `openclaw-in-archive` when that OpenClaw is in a zip archive, and as {@link readPlugAndPlay}.
 */
export function openclawInPlugAndPlay(manifest: string, from: string): string | undefined {
  const [data, base] = [readPlugAndPlay(manifest), dirname(manifest)];
  const locator = resolveDependency(data, packageAround(data, base, from), "openclaw");
  const found = locator && data.packages.find((one) => isSame(one, locator));
  if (found === undefined) return undefined;
  const place = withoutVirtual(resolve(base, found.location));
  if (!/\.zip[\\/]/.test(place)) return place;
  throw patchError("openclaw-in-archive", {
    expected: "OpenClaw as files in a folder",
    found: `Yarn Plug'n'Play, which keeps it in an archive (${place})`,
    todo:
      "Run `yarn unplug openclaw` and apply again, or set `nodeLinker: node-modules` in .yarnrc.yml, run " +
      "`yarn install` and apply again; nothing was changed.",
  });
}

/**
 * The package whose folder contains `from`, the innermost. What Yarn ignores (`pnpIgnorePatterns`) is not left out: the
 * patterns are regular expressions of others.
 */
function packageAround({ packages }: PlugAndPlayData, base: string, from: string): PackageData | undefined {
  let [around, length] = [undefined as PackageData | undefined, -1];
  for (const one of packages) {
    if (one.isDiscarded) continue;
    const location = resolve(base, one.location);
    // Of two with the same folder (the project, and its own workspace) Yarn takes the last.
    if (
      location.length < length ||
      !`${from}${sep}`.startsWith(location.endsWith(sep) ? location : `${location}${sep}`)
    )
      continue;
    [around, length] = [one, location.length];
  }
  return around;
}

/** What a package means by a name: its dependency, or the project's where Yarn lets it fall back on that. */
function resolveDependency(data: PlugAndPlayData, from: PackageData | undefined, name: string): Locator | undefined {
  const dependency = from?.dependencies.get(name);
  if (from === undefined || dependency !== undefined) return dependency;
  if (from.name === null || !data.hasFallback || data.excluded.some((one) => isSame(one, from))) return undefined;
  const project = data.packages.find((one) => one.name === null);
  return project?.dependencies.get(name) ?? data.fallbacks.get(name);
}

function isSame(one: Locator, other: Locator): boolean {
  return one.name === other.name && one.reference === other.reference;
}

/**
 * The real path of a virtual one, which Yarn gives a package with peer dependencies:
 * `<folder>/__virtual__/<id>/<levels up>/<rest>`.
 */
function withoutVirtual(path: string): string {
  const [names, real]: [readonly string[], string[]] = [path.split(sep), []];
  for (let at = 0; at < names.length; at++) {
    const [name = "", , levels] = names.slice(at, at + 3);
    const isVirtual = (name === "__virtual__" || name === "$$virtual") && /^\d{1,3}$/.test(levels ?? "");
    if (!isVirtual) real.push(name);
    else {
      real.splice(Math.max(1, real.length - Number(levels)));
      at += 2;
    }
  }
  return real.join(sep);
}
