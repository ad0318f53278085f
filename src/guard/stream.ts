import { isObject, type JsonObject } from "../transcript/json.ts";
import { check, heal } from "../wire/heal.ts";
import { historyField } from "../wire/apis.ts";
import { prepare } from "../wire/prepare.ts";
import { countKinds, logFailure, logLine } from "./log.ts";
import { isEnabled } from "./switch.ts";

/** A model call as OpenClaw's agent makes it. */
export type StreamFunction = (model: unknown, context: unknown, options?: unknown) => unknown;

/** OpenClaw's agent, as far as it is of interest here. */
export interface Agent {
  streamFn?: StreamFunction;
}

/** What names the session in log lines. */
interface Labels {
  point?: string;
  sessionId?: string;
}

const GUARDED: unique symbol = Symbol.for("openclaw-integrity.guarded");

/** What was healed in a history since the last model call, to be told in the line of the next one. */
const pending = new WeakMap<object, Map<string, string[]>>();

/** Takes down what a gate healed; it is logged with the next request of the same agent. */
export function noteHealed(agent: object, gate: string, healed: readonly { kind: string }[]): void {
  const gates = pending.get(agent) ?? new Map<string, string[]>();
  gates.set(gate, [...(gates.get(gate) ?? []), ...healed.map(({ kind }) => kind)]);
  pending.set(agent, gates);
}

/**
 * Puts the wire gate around `agent.streamFn`, once: messages are made ready for the adapter, the finished body is checked and
 * healed in `onPayload`. When the gate itself fails the original goes through.
 */
export function guardStream(agent: Agent, labels: Labels): void {
  const inner = agent.streamFn;
  if (typeof inner !== "function" || GUARDED in inner) return;
  const guarded: StreamFunction = function (this: unknown, model, context, options) {
    if (!isEnabled()) return inner.call(this, model, context, options);
    const call = new GuardedCall(agent, labels, model);
    return inner.call(this, model, call.context(context), call.options(options));
  };
  Object.defineProperty(guarded, GUARDED, { value: true });
  agent.streamFn = guarded;
}

/** One model call on its way to the provider. */
class GuardedCall {
  readonly #agent: object;
  readonly #labels: Labels;
  readonly #api: string;
  readonly #model: { model?: string };
  constructor(agent: object, labels: Labels, model: unknown) {
    this.#agent = agent;
    this.#labels = labels;
    this.#api = isObject(model) && typeof model.api === "string" ? model.api : "";
    this.#model = isObject(model) && typeof model.id === "string" ? { model: model.id } : {};
  }

  /** The context with messages that the adapter can take; the very same context when they are healthy. */
  context(context: unknown): unknown {
    try {
      const messages = isObject(context) ? context.messages : undefined;
      if (!Array.isArray(messages)) return context;
      const prepared = prepare(this.#api, messages, { onRepairs: (repairs) => noteHealed(this.#agent, "messages", repairs) });
      return prepared === messages ? context : { ...(context as JsonObject), messages: prepared };
    } catch (error) {
      logFailure("wire gate (messages)", error, "the messages go on unchanged");
      return context;
    }
  }

  /** The options with an `onPayload` that has the last word on the body. */
  options(options: unknown): unknown {
    const given = isObject(options) ? options : {};
    const before = typeof given.onPayload === "function" ? (given.onPayload as (payload: unknown, model: unknown) => unknown) : undefined;
    const onPayload = (payload: unknown, model: unknown): unknown => {
      const replaced = before?.call(given, payload, model);
      if (replaced instanceof Promise) return replaced.then((next: unknown) => this.#body(next ?? payload) ?? next);
      return this.#body(replaced ?? payload) ?? replaced;
    };
    return { ...given, onPayload };
  }

  /** The healed body, or undefined when it was healthy. Early releases take no replacement, so it is also changed in place. */
  #body(payload: unknown): unknown {
    let healed: unknown;
    try {
      const field = historyField(this.#api);
      if (field !== undefined && isObject(payload) && payload[field] !== undefined) {
        const body = heal(this.#api, payload, this.#model);
        if (body !== payload) {
          noteHealed(this.#agent, "body", check(this.#api, payload, this.#model).map(({ rule }) => ({ kind: rule })));
          payload[field] = body[field];
          healed = payload;
        }
      }
    } catch (error) {
      logFailure("wire gate (body)", error, "the body goes on unchanged");
    }
    this.#log();
    return healed;
  }

  #log(): void {
    const gates = pending.get(this.#agent);
    if (!gates) return;
    pending.delete(this.#agent);
    const what = [...gates].map(([gate, kinds]) => `${gate}: ${countKinds(kinds)}`).join("; ");
    const { point, sessionId } = this.#labels;
    logLine(`healed request api=${this.#api || "?"} session=${sessionId ?? "?"}${point?.startsWith("compaction") ? " compaction" : ""} ${what}`);
  }
}
