import { createRequire } from "node:module";
import { isObject } from "../../transcript/json/json.ts";

/** Where a package manager puts the client of Bedrock that adapters load; a program may hold more than one. */
const CLIENT = /[\\/]@aws-sdk[\\/]client-bedrock-runtime[\\/]dist-cjs[\\/]index\.js$/;

interface Config {
  retryStrategy?: unknown;
}

/** The interface of the SDK by which a program decides what is sent again: nothing is. */
const ONCE = {
  acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
  refreshRetryTokenForRetry: async () => {
    throw new Error("this request is sent once");
  },
  recordSuccess: () => undefined,
};

const seen = new WeakSet<object>();

/**
 * Has the clients of Bedrock that this process has loaded send a request once for which `isOwn` is true, whatever the
 * environment says of attempts. Other requests, of the same client too, are sent as before. A client that a bundler has
 * put into another file is not found, and repeats.
 */
export function sendBedrockOnce(isOwn: () => boolean): void {
  for (const [name, loaded] of Object.entries(createRequire(import.meta.url).cache)) {
    if (!CLIENT.test(name)) continue;
    const { BedrockRuntimeClient: client } = isObject(loaded?.exports) ? loaded.exports : {};
    if (typeof client !== "function" || seen.has(client)) continue;
    seen.add(client);
    watch(client.prototype as { send?: unknown }, isOwn);
  }
}

function watch(client: { send?: unknown }, isOwn: () => boolean): void {
  const { send } = client;
  if (typeof send !== "function") return;
  client.send = function (this: { config?: unknown }, ...given: unknown[]): unknown {
    if (isOwn() && isObject(this.config)) decide(this.config, isOwn);
    return Reflect.apply(send, this, given);
  };
}

function decide(config: Config, isOwn: () => boolean): void {
  const { retryStrategy } = config;
  if (typeof retryStrategy !== "function" || seen.has(config)) return;
  seen.add(config);
  config.retryStrategy = async () => (isOwn() ? ONCE : ((await Reflect.apply(retryStrategy, config, [])) as unknown));
}
