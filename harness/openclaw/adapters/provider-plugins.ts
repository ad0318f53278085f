import { existsSync } from "node:fs";
import { join } from "node:path";
import { ALL_APIS } from "../models.ts";
import type { ModelApi } from "../types.ts";

/** They say how a provider's history is prepared; everything else that is bundled only costs time. */
export const PROVIDER_PLUGINS = ["anthropic", "openai", "google", "amazon-bedrock"];

/**
 * The plugins of the providers we talk as that a release brings compiled; none before 2026.3.22, which had them in its
 * core.
 */
export function providerPlugins(dist: string): string[] {
  return PROVIDER_PLUGINS.filter((id) => existsSync(join(dist, "extensions", id)));
}

/**
 * The APIs that an installation from npm can talk. Bedrock's adapter is in the core at first, then a plugin that is
 * brought along, and from 2026.5.28 on a plugin of its own that is not there.
 */
export function availableApis(dist: string): ModelApi[] {
  const bedrock = !existsSync(join(dist, "extensions")) || providerPlugins(dist).includes("amazon-bedrock");
  return ALL_APIS.filter((api) => bedrock || api !== "bedrock-converse-stream");
}
