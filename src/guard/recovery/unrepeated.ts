import { AsyncLocalStorage } from "node:async_hooks";
import { logFailure } from "../base/log.ts";
import { sendBedrockOnce } from "./unrepeated-bedrock.ts";

const own = new AsyncLocalStorage<true>();
let isWatched = false;

/**
 * Sends a request of the guard's own that a provider's SDK sends once: the SDKs repeat one up to two times by
 * themselves after a conflict or a server error, unless the response forbids that. Requests of others keep their
 * responses.
 */
export function unrepeated<T>(send: () => T): T {
  if (!isWatched) watch();
  try {
    sendBedrockOnce(() => own.getStore() === true);
  } catch (error) {
    logFailure("requests of its own", error, "the client of Bedrock repeats them");
  }
  return own.run(true, send);
}

function watch(): void {
  isWatched = true;
  const inner = globalThis.fetch;
  globalThis.fetch = async function (this: unknown, ...given): Promise<Response> {
    const response = await inner.apply(this, given);
    if (response.ok || own.getStore() === undefined) return response;
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    headers.set("x-should-retry", "false");
    return new Response(response.body, { status, statusText, headers });
  };
}
