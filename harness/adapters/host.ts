/** The part of OpenClaw that `@openclaw/ai` runs in, as far as it costs time here. */
interface TransportHost {
  resolveProviderRequestCapabilities(input: object): object;
}

/** The functions with which `@openclaw/ai` is told its host. */
export interface HostAccess {
  getAiTransportHost(): TransportHost;
  configureAiTransportHost(host: object): void;
}

function nothing(): undefined {
  return undefined;
}

/**
 * Leaves OpenClaw's host only what goes into bodies. Its log goes to the console and to a file, and every body that is
 * taken would be an error there; what it finds out for headers, it looks up on disk for every request.
 */
export function quietHost({ getAiTransportHost, configureAiTransportHost }: HostAccess): void {
  const host = getAiTransportHost();
  const known = new Map<string, object>();
  configureAiTransportHost({
    ...host,
    logDebug: nothing,
    logInfo: nothing,
    logWarn: nothing,
    plugin: { resolveProviderStream: nothing, resolveTransportTurnState: nothing, wrapSimpleCompletionStream: nothing },
    resolveProviderRequestHeaders: () => ({}),
    resolveProviderRequestCapabilities(input: object): object {
      const key = JSON.stringify(input);
      let found = known.get(key);
      if (!found) known.set(key, (found = host.resolveProviderRequestCapabilities(input)));
      return found;
    },
  });
}
