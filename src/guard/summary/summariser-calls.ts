import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { heardFrom, type Heard } from "./heard.ts";

/** The package of adapters through which OpenClaw up to 2026.4 asks its summariser, past the session. */
const PACKAGE = "@mariozechner/pi-ai";

/** Takes the options of a call, and returns those that it is made with, and who is told how its answer ends. */
export type OnCall = (options: unknown) => { readonly options: unknown; readonly hear: (heard: Heard) => void };

const listeners = new WeakMap<AbortSignal, OnCall>();
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

/** Has `onCall` see each call of an adapter that this signal can stop. */
export function hearCalls(signal: AbortSignal, onCall: OnCall): void {
  listeners.set(signal, onCall);
  const registered = adapters();
  for (const adapter of Array.isArray(registered) ? registered : []) if (isObject(adapter)) tap(adapter);
}

/** Wraps an adapter, once. Calls of other sessions go through it too: only the signal tells whose a call is. */
function tap(adapter: JsonObject): void {
  const { streamSimple: inner } = adapter;
  if (typeof inner !== "function" || tapped.has(adapter)) return;
  tapped.add(adapter);
  adapter.streamSimple = function (this: unknown, ...given: unknown[]): unknown {
    const [model, context, options] = given;
    const onCall = isObject(options) && options.signal instanceof AbortSignal && listeners.get(options.signal);
    if (!onCall) return Reflect.apply(inner, this, given);
    const call = onCall(options);
    const stream: unknown = Reflect.apply(inner, this, [model, context, call.options]);
    heardFrom(stream, call.hear);
    return stream;
  };
}
