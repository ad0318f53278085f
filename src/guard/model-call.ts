import { treatAll } from "../recovery/rungs.ts";
import { withoutRefused } from "../recovery/stopped.ts";
import { routeName } from "../recovery/taken.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { addAll } from "../transcript/json/list.ts";
import { historyField } from "../wire/apis.ts";
import { check, heal, type RequestOptions } from "../wire/heal.ts";
import { prepare } from "../wire/prepare.ts";
import { logHealed, noteHealed } from "./base/healed.ts";
import { readably } from "./history/gated.ts";
import type { ModelCall } from "./recovery/ladder.ts";
import { logFailure } from "./base/log.ts";
import { emitChecked, type Healed } from "./base/observed.ts";
import { forRoute } from "./recovery/routes.ts";
import type { Run } from "./recovery/run.ts";
import { isCompaction, type GuardContext } from "./openclaw/session.ts";

/** One model call: the wire gate before and after the adapter. */
export class GuardedCall implements ModelCall {
  readonly model: unknown;
  messages: unknown[] = [];
  given = 0;
  readonly #agent: object;
  readonly #labels: GuardContext;
  readonly #run: Run;
  readonly #inner: (context: unknown, options: unknown) => unknown;
  readonly #api: string;
  readonly #route: string;
  readonly #bodyOptions: RequestOptions;
  #context: unknown;
  #options: unknown;
  #sent: readonly unknown[] | undefined;
  /** The messages were known from an earlier call of the run. */
  #isKnown = false;

  constructor(
    agent: object,
    labels: GuardContext,
    model: unknown,
    run: Run,
    inner: (context: unknown, options: unknown) => unknown,
  ) {
    this.#agent = agent;
    this.#labels = labels;
    this.#run = run;
    this.#inner = inner;
    this.model = model;
    this.#api = isObject(model) && typeof model.api === "string" ? model.api : "";
    this.#route = routeName(isObject(model) ? model : {});
    this.#bodyOptions = requestOptions(model);
  }

  /** Prepares context and options for the adapter. A context with valid messages stays the same object. */
  prepare(context: unknown, options: unknown): void {
    this.#context = this.#ready(context);
    this.messages = (
      isObject(this.#context) && Array.isArray(this.#context.messages) ? this.#context.messages : []
    ) as unknown[];
    this.#options = this.#withPayloadGate(options);
  }

  first(): unknown {
    return this.#inner(this.#context, this.#options);
  }

  send(messages: unknown[]): unknown {
    this.#sent = undefined;
    return this.#inner({ ...(this.#context as JsonObject), messages: prepare(this.#api, messages) }, this.#options);
  }

  sent(): readonly unknown[] | undefined {
    return this.#sent;
  }

  #ready(context: unknown): unknown {
    try {
      const given = isObject(context) ? context.messages : undefined;
      if (!Array.isArray(given)) return context;
      this.given = given.length;
      const since = performance.now();
      const healed: Healed[] = [];
      const prepared = readably(this.#run.sinceReset(given as unknown[]), (readable) => {
        const messages = withoutRefused(readable, this.#run.memory.withoutStopped);
        this.#isKnown = this.#run.prepared.isPrepared(this.#api, messages);
        if (this.#isKnown) return messages;
        return prepare(this.#api, messages, { onRepairs: (repairs) => addAll(healed, repairs) });
      });
      if (healed.length > 0) noteHealed(this.#agent, "messages", healed);
      emitChecked("messages", this.#labels.sessionId, given.length, healed, since);
      const taken = forRoute(this.#route, prepared);
      const treated = treatAll(this.#run.withUnexplained(taken), this.#run.treatments);
      const ready = treated === prepared ? prepared : prepare(this.#api, treated);
      return ready === given ? context : { ...(context as JsonObject), messages: ready };
    } catch (error) {
      logFailure("wire gate (messages)", error, "the messages are used unchanged");
      return context;
    }
  }

  anew(): unknown[] | undefined {
    if (!this.#isKnown) return undefined;
    this.#isKnown = false;
    const { messages } = this;
    const prepared = readably(messages, (readable) => prepare(this.#api, readable));
    if (prepared === messages) return undefined;
    this.#run.prepared.forget();
    return prepared;
  }

  /** Returns the options with an `onPayload` that heals the body after OpenClaw's own hook. */
  #withPayloadGate(options: unknown): unknown {
    const given = isObject(options) ? options : {};
    const before =
      typeof given.onPayload === "function"
        ? (given.onPayload as (payload: unknown, model: unknown) => unknown)
        : undefined;
    const onPayload = (payload: unknown, model: unknown): unknown => {
      const replaced = before?.call(given, payload, model);
      if (replaced instanceof Promise) return replaced.then((next: unknown) => this.#body(next ?? payload) ?? next);
      return this.#body(replaced ?? payload) ?? replaced;
    };
    return { ...given, onPayload };
  }

  /**
   * Heals the body and returns it; undefined when it was valid. Early releases ignore the returned body, so the body is
   * also changed in place.
   */
  #body(payload: unknown): unknown {
    let healed: unknown;
    try {
      const field = historyField(this.#api);
      if (field !== undefined && isObject(payload) && payload[field] !== undefined) {
        const since = performance.now();
        const body = heal(this.#api, payload, this.#bodyOptions);
        const violations =
          body === payload
            ? []
            : check(this.#api, payload, this.#bodyOptions).map(({ rule }) => ({ kind: rule as string }));
        const history = payload[field];
        emitChecked("body", this.#labels.sessionId, Array.isArray(history) ? history.length : 0, violations, since);
        if (body !== payload) {
          noteHealed(this.#agent, "body", violations);
          payload[field] = body[field];
          healed = payload;
        }
        if (Array.isArray(payload[field])) this.#sent = payload[field] as unknown[];
      }
    } catch (error) {
      logFailure("wire gate (body)", error, "the body is sent unchanged");
    }
    const { sessionId } = this.#labels;
    logHealed(
      this.#agent,
      `api=${this.#api || "?"} session=${sessionId ?? "?"}${isCompaction(this.#labels) ? " compaction" : ""}`,
    );
    return healed;
  }
}

/** What the guard knows of a request: OpenClaw itself always wants an answer of its own, never the rest of one. */
function requestOptions(model: unknown): RequestOptions {
  const { id, baseUrl } = isObject(model) ? model : {};
  return {
    neverPrefills: true,
    ...(typeof id === "string" && { model: id }),
    ...(typeof baseUrl === "string" && URL.canParse(baseUrl) && { host: new URL(baseUrl).hostname }),
  };
}
