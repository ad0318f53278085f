import { importOptional } from "./chunk.ts";

interface Registry {
  refreshPluginRegistry(params: { config: object; reason: "manual" }): Promise<unknown>;
}

interface SnapshotLoader {
  loadPluginMetadataSnapshot(scope: SnapshotScope): object;
}

interface CurrentSnapshot {
  setCurrentPluginMetadataSnapshot(snapshot: object, scope: SnapshotScope): void;
}

interface SnapshotScope {
  config: object;
  workspaceDir: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Gives OpenClaw what a running gateway knows of its plugins, where a release (from 2026.4.2x on) would otherwise look
 * through all that it brings several times a turn, which takes a second: the registry file of `openclaw plugins
 * registry --refresh`, and what the gateway keeps in memory when it starts.
 */
export async function learnPlugins(dist: string, config: object, workspaceDir: string): Promise<void> {
  const registry = await importOptional<Registry>(dist, /^plugin-registry-.*\.js$/, ["refreshPluginRegistry"]);
  await registry?.refreshPluginRegistry({ config, reason: "manual" });
  const loader = await importOptional<SnapshotLoader>(dist, /^(plugin-metadata-snapshot|io)-.*\.js$/, [
    "loadPluginMetadataSnapshot",
  ]);
  const current = await importOptional<CurrentSnapshot>(
    dist,
    /^(current-plugin-metadata-snapshot|plugin-registry)-.*\.js$/,
    ["setCurrentPluginMetadataSnapshot"],
  );
  if (!loader || !current) return;
  const scope = { config, workspaceDir, env: process.env };
  current.setCurrentPluginMetadataSnapshot(loader.loadPluginMetadataSnapshot(scope), scope);
}
