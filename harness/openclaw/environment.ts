import { fileURLToPath } from "node:url";
import { PROVIDER_PLUGINS } from "./adapters/provider-plugins.ts";
import { DUMMY_KEY } from "./models.ts";

/** Compiled code, by its content: one folder for every process of every run. */
export const COMPILE_CACHE = fileURLToPath(new URL("../../.cache/node-compile-cache", import.meta.url));

/**
 * The whole environment of the process that OpenClaw runs in: nothing of ours leaks in (keys, proxies, a config),
 * everything it writes goes to `home`, and everything that it could start or ask on its own is off.
 */
export function workerEnvironment(home: string, providerUrl: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: `${home}/tmp`,
    OPENCLAW_HOME: home,
    OPENCLAW_STATE_DIR: `${home}/state`,
    OPENCLAW_CONFIG_PATH: `${home}/state/openclaw.json`,
    OPENCLAW_AGENT_DIR: `${home}/state/agents/main/agent`,
    OPENCLAW_SKIP_CHANNELS: "1",
    OPENCLAW_NO_UPDATE_CHECK: "1",
    OPENCLAW_DISABLE_BONJOUR: "1",
    // Releases of spring 2026 look through all their bundled plugins anew whenever this has passed, many times a turn.
    OPENCLAW_PLUGIN_DISCOVERY_CACHE_MS: "3600000",
    OPENCLAW_PLUGIN_MANIFEST_CACHE_MS: "3600000",
    // From 2026.4 on every bundled provider is loaded and asked for its list of models, unless it is said which.
    OPENCLAW_TEST_ONLY_PROVIDER_PLUGIN_IDS: PROVIDER_PLUGINS.join(","),
    // Compiled code of a release is the same for every driver and every run, so that this one thing may be shared.
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...bedrockEnvironment(providerUrl),
  };
}

/** The AWS SDK takes endpoint, region and credentials from the environment only; the keys are no secrets. */
function bedrockEnvironment(providerUrl: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: providerUrl,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: DUMMY_KEY,
    AWS_SECRET_ACCESS_KEY: DUMMY_KEY,
    AWS_EC2_METADATA_DISABLED: "true",
    // Any proxy variable makes the Bedrock adapter speak HTTP/1.1 instead of HTTP/2; this one proxies nothing.
    NO_PROXY: "127.0.0.1,localhost",
  };
}
