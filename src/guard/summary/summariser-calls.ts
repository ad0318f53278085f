import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { heardFrom, type Heard } from "./heard.ts";

/** The package of adapters through which OpenClaw up to 2026.4 asks its summariser, past the session. */
const PACKAGE = "@mariozechner/pi-ai";

const listeners = new WeakMap<AbortSignal, (heard: Heard) => void>();
const tapped = new WeakSet<object>();

/** Returns the adapters that are registered now, once the package is there. */
let adapters: () => unknown = () => [];

/** Has {@link hearCalls} know the adapters of OpenClaw's package. Without it nothing is heard. Never rejects. */
export async function findAdapters(): Promise<void> {
  try {
    const { getApiProviders } = (await import(PACKAGE)) as { getApiProviders?: () => unknown };
    if (typeof getApiProviders === "function") adapters = getApiProviders;
  } catch {
    // A release without the package asks its summariser through the session.
  }
}

/** Has `hear` be told how each answer of an adapter ends that this signal can stop. Changes none of them. */
export function hearCalls(signal: AbortSignal, hear: (heard: Heard) => void): void {
  listeners.set(signal, hear);
  const registered = adapters();
  for (const adapter of Array.isArray(registered) ? registered : []) if (isObject(adapter)) tap(adapter);
}

/** Other calls go through too, of other sessions: only the signal tells whose a call is. */
function tap(adapter: JsonObject): void {
  const { streamSimple: inner } = adapter;
  if (typeof inner !== "function" || tapped.has(adapter)) return;
  tapped.add(adapter);
  adapter.streamSimple = function (this: unknown, ...given: unknown[]): unknown {
    const stream: unknown = Reflect.apply(inner, this, given);
    const [, , options] = given;
    const hear = isObject(options) && options.signal instanceof AbortSignal && listeners.get(options.signal);
    if (hear) heardFrom(stream, hear);
    return stream;
  };
}
