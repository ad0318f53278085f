import { treatAll } from "../recovery/remembered.ts";
import { measureMessages, type Size } from "../recovery/size/measure.ts";
import { withoutRefused } from "../recovery/withhold.ts";
import type { RouteFact } from "../recovery/route-fact.ts";
import { shapeBody } from "../recovery/routes/body.ts";
import { shapeMessages } from "../recovery/routes/shape.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { addAll } from "../transcript/json/list.ts";
import { historyField } from "../wire/apis.ts";
import { check, heal, type RequestOptions } from "../wire/heal.ts";
import { prepare } from "../wire/prepare.ts";
import { logHealed, noteHealed } from "./base/healed.ts";
import { withUnreadableCopied } from "./history/gated.ts";
import { withoutInvented } from "./history/interrupted.ts";
import type { ModelCall } from "./recovery/port.ts";
import { logFailure } from "./base/log.ts";
import { emitChecked, type Healed } from "./base/observed.ts";
import { sessionMemory } from "./base/memory.ts";
import { knownParts } from "./routes/refused-parts.ts";
import { listFacts, type Route, toRoute } from "./routes/routes.ts";
import { unrepeated } from "./recovery/unrepeated.ts";
import type { Run } from "./recovery/run.ts";
import { isCompaction, type GuardContext } from "./openclaw/session.ts";

/** The fewest tokens that OpenAI's Responses API may be asked for. */
const LEAST_OF_RESPONSES = 16;

/** One model call: the wire gate before and after the adapter. */
export class GuardedCall implements ModelCall {
  readonly model: unknown;
  messages: unknown[] = [];
  whole: readonly unknown[] = [];
  unfitted: unknown[] = [];
  given = 0;
  readonly #agent: object;
  readonly #labels: GuardContext;
  readonly #run: Run;
  readonly #inner: (context: unknown, options: unknown) => unknown;
  readonly #api: string;
  readonly #route: Route;
  readonly #bodyOptions: RequestOptions;
  #context: unknown;
  #options: unknown;
  #sent: readonly unknown[] | undefined;
  #payload: unknown;

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
    this.#route = toRoute(model);
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
    this.#payload = undefined;
    return unrepeated(() =>
      this.#inner({ ...(this.#context as JsonObject), messages: prepare(this.#api, messages) }, this.#options),
    );
  }

  /**
   * Sends a request with these messages whose answer nobody reads: of one token, without thinking, and ended by this
   * signal alone.
   */
  probe(messages: unknown[], signal: AbortSignal): unknown {
    const {
      reasoning: _reasoning,
      thinkingBudgets: _budgets,
      ...options
    } = isObject(this.#options) ? this.#options : {};
    const maxTokens = this.#api.includes("responses") ? LEAST_OF_RESPONSES : 1;
    return unrepeated(() =>
      this.#inner(
        { ...(this.#context as JsonObject), messages: prepare(this.#api, messages) },
        { ...options, maxTokens, signal },
      ),
    );
  }

  overhead(): Size {
    return sizeBeside(this.#context);
  }

  get isAborted(): boolean {
    const signal = isObject(this.#options) ? this.#options.signal : undefined;
    return signal instanceof AbortSignal && signal.aborted;
  }

  sent(): readonly unknown[] | undefined {
    return this.#sent;
  }

  body(): unknown {
    return this.#payload;
  }

  #ready(context: unknown): unknown {
    try {
      const given = isObject(context) ? context.messages : undefined;
      if (!Array.isArray(given)) return context;
      this.given = given.length;
      const since = performance.now();
      const healed: Healed[] = [];
      const prepared = withUnreadableCopied(this.#run.sinceReset(given as unknown[]), (readable) => {
        const messages = withoutRefused(
          withoutInvented(this.#labels.sessionId, readable),
          // A failed summary would be the end of it: nothing of a compaction is tried.
          this.#run.isCompaction ? "all" : "confirmed",
          isObject(this.model) ? this.model : {},
        );
        return prepare(this.#api, messages, { onRepairs: (repairs) => addAll(healed, repairs) });
      });
      if (healed.length > 0) noteHealed(this.#agent, "messages", healed);
      emitChecked("messages", this.#labels.sessionId, given.length, healed, since);
      const { sessionId } = this.#labels;
      const known = isCompaction(this.#labels) ? sessionMemory(sessionId) : this.#run.memory;
      const shaped = shapeMessages(prepared, listFacts(this.#route));
      this.whole = shaped;
      const taken = knownParts(sessionId, known).without(this.#route.name, shaped);
      const treated = treatAll(this.#run.withUnexplained(this.#route.name, taken), this.#run.tries.treatments);
      const whole = treated === prepared ? prepared : prepare(this.#api, treated);
      this.unfitted = whole;
      const ready = this.#run.asFitted(this.#route, this.model, whole, () => sizeBeside(context));
      return ready === given ? context : { ...(context as JsonObject), messages: ready };
    } catch (error) {
      logFailure("wire gate (messages)", error, "the messages are used unchanged");
      return context;
    }
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
        if (this.#shape(payload)) healed = payload;
        this.#payload = payload;
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

  /** Brings a body into the form in which its route takes it, in place. Returns whether anything was changed. */
  #shape(payload: JsonObject): boolean {
    const facts: RouteFact[] = [...listFacts(this.#route), ...this.#run.tries.facts];
    const changed = facts.length === 0 ? payload : shapeBody(payload, facts);
    if (changed === payload) return false;
    // Text in the place of a block can break a rule of places.
    const shaped = heal(this.#api, changed, this.#bodyOptions);
    for (const name of Object.keys(payload)) if (!Object.hasOwn(shaped, name)) delete payload[name];
    Object.assign(payload, shaped);
    return true;
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

/** What a context holds beside its messages. */
function sizeBeside(context: unknown): Size {
  const { systemPrompt, tools } = isObject(context) ? context : ({} as JsonObject);
  return measureMessages([{ content: [systemPrompt ?? "", tools ?? []] }]);
}
