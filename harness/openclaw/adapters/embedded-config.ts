import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseModel, toolNames, type ModelChoice } from "../models.ts";
import type { Session, WorkerSetup } from "../types.ts";
import { hasExport } from "./chunk.ts";
import { providerPlugins } from "./provider-plugins.ts";

/** What is the same for all sessions of a release; every release refuses a file with a key that it does not know. */
export interface BaseConfig {
  models: Record<string, unknown>;
  plugins: Record<string, unknown>;
}

/** The configuration before any session is known. */
export function baseConfig(dist: string): BaseConfig {
  const plugins = providerPlugins(dist);
  // AWS is asked for its list of models as soon as there are credentials for it; where that is turned off has moved.
  const manifest = join(dist, "extensions", "amazon-bedrock", "openclaw.plugin.json");
  const inPlugin = existsSync(manifest) && readFileSync(manifest, "utf8").includes('"discovery"');
  const inCore = !inPlugin && (existsSync(manifest) || !existsSync(join(dist, "extensions")));
  return {
    models: { mode: "replace", ...(inCore ? { bedrockDiscovery: { enabled: false } } : {}) },
    plugins: {
      // Other plugins are compiled when they are first used; no session here needs one.
      ...(plugins.length > 0 ? { allow: plugins, slots: { memory: "none" } } : { enabled: false }),
      ...(inPlugin
        ? { entries: { "amazon-bedrock": { enabled: true, config: { discovery: { enabled: false } } } } }
        : {}),
    },
  };
}

/** A session's configuration, and what of it a run is also told by itself. */
export interface SessionConfig {
  choice: ModelChoice;
  tools: string[];
  config: object;
}

/**
 * Gives the configuration of each session: the same object for the same settings, because OpenClaw keeps what it finds
 * by it.
 */
export function sessionConfigs(
  dist: string,
  base: BaseConfig,
  setup: WorkerSetup,
): (session: Session) => SessionConfig {
  const known = new Map<string, object>();
  const network = loopbackSetting(dist);
  return (session) => {
    const choice = chooseModel(session, setup.providerUrl);
    const tools = toolNames(session.tools);
    const text = JSON.stringify({
      ...base,
      models: { ...base.models, providers: { [choice.provider]: { ...choice.config, ...network } } },
      agents: {
        // 2026.3.28 gives up a turn whose model is not the one that the configuration names.
        defaults: {
          workspace: join(setup.home, "workspace"),
          skipBootstrap: true,
          model: { primary: `${choice.provider}/${choice.model}` },
          ...(session.compactionSeconds !== undefined && {
            compaction: { timeoutSeconds: session.compactionSeconds },
          }),
        },
      },
      tools: { allow: tools },
      ...(session.historyLimit === undefined
        ? {}
        : { channels: { telegram: { dmHistoryLimit: session.historyLimit } } }),
    });
    const config = known.get(text) ?? (JSON.parse(text) as object);
    known.set(text, config);
    return { choice, tools, config };
  };
}

/**
 * Some releases ask no host of a private network for OpenAI's Responses, unless the provider says so; older ones know
 * no such key.
 */
function loopbackSetting(dist: string): object {
  const known = hasExport(dist, /^provider-request-config-.*\.js$/, "sanitizeConfiguredModelProviderRequest");
  return known ? { request: { allowPrivateNetwork: true } } : {};
}
