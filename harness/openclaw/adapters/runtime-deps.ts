import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { importOptional } from "./chunk.ts";

interface RuntimeDeps {
  scanBundledPluginRuntimeDeps(params: { packageRoot: string; env: NodeJS.ProcessEnv }): {
    deps: { name: string; version: string }[];
  };
  resolveBundledRuntimeDependencyPackageInstallRoot(packageRoot: string, options: { env: NodeJS.ProcessEnv }): string;
}

/**
 * Some releases (2026.4.2x) run npm in the first turn, to install what all their bundled plugins need into the state
 * folder. What OpenClaw itself depends on lies beside it and is linked there, under the version that is asked for; the
 * rest belongs to plugins that no session here uses, and gets a manifest and nothing else.
 */
export async function stageRuntimeDeps(dist: string): Promise<void> {
  const names = ["scanBundledPluginRuntimeDeps", "resolveBundledRuntimeDependencyPackageInstallRoot"] as const;
  const staging = await importOptional<RuntimeDeps>(dist, /^bundled-runtime-deps-.*\.js$/, names);
  if (!staging) return;
  const packageRoot = dirname(dist);
  const env = process.env;
  const staged = join(staging.resolveBundledRuntimeDependencyPackageInstallRoot(packageRoot, { env }), "node_modules");
  // Started again after a kill, all of it is there.
  if (existsSync(staged)) return;
  const wanted = new Map(
    staging.scanBundledPluginRuntimeDeps({ packageRoot, env }).deps.map(({ name, version }) => [name, version]),
  );
  // What lies within OpenClaw's folder goes before what lies beside it, as for OpenClaw itself.
  const places = [join(packageRoot, "node_modules"), dirname(packageRoot)].filter((modules) => existsSync(modules));
  const installed = new Map(
    places.toReversed().flatMap((modules) => packagesIn(modules).map((name) => [name, join(modules, name)] as const)),
  );
  for (const name of new Set([...installed.keys(), ...wanted.keys()])) {
    await stage(installed.get(name), join(staged, name), { name, version: wanted.get(name) });
  }
}

/**
 * Links a package, file by file when it must have another version than it has; without one, its manifest is all there
 * is.
 */
async function stage(
  from: string | undefined,
  to: string,
  { name, version }: { name: string; version: string | undefined },
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (from !== undefined && (version === undefined || /^[~^]/.test(version))) {
    await symlink(from, to);
    return;
  }
  await mkdir(to);
  for (const entry of from === undefined ? [] : readdirSync(from)) {
    if (entry !== "package.json") await symlink(join(from ?? "", entry), join(to, entry));
  }
  const manifest =
    from === undefined ? { name } : (JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as object);
  await writeFile(join(to, "package.json"), JSON.stringify({ ...manifest, version: version?.replace(/^[~^]/, "") }));
}

/** The names of the packages in a `node_modules`, with their scopes. */
function packagesIn(modules: string): string[] {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}
