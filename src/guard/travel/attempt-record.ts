import { isObject } from "../../transcript/json/json.ts";
import { readArrival } from "../../timetravel/records.ts";
import { type Agent, type GuardedSession, loadedMessages, setMessages } from "../openclaw/session.ts";
import { logFailure } from "../base/log.ts";

/**
 * Keeps OpenClaw's own recovery of a turn working after a move. At the end of a run OpenClaw reads from the run's list
 * what the attempt has said (since 2026.4 by an index: how long the list was before the prompt) and whether its last
 * batch of calls has results. A move makes the list shorter and takes that batch out of it: the attempt then seems to
 * have said nothing, with calls whose end is unknown, and OpenClaw compacts no overflow and asks for no empty answer
 * again. So while no model call is under way, the list also holds, before the carryover, the batch that asked for the
 * move, at the place where OpenClaw looks for it. No model gets these messages.
 */
export class AttemptRecord {
  readonly #session: GuardedSession;
  /** How many messages the list had before the attempt's prompt. */
  #before: number | undefined;
  #batch: readonly unknown[] = [];
  #added: ReadonlySet<unknown> = new Set();

  constructor(session: GuardedSession) {
    this.#session = session;
    const { agent } = session as { readonly agent: StartedAgent };
    agent.subscribe?.((event) => {
      if (!isObject(event)) return;
      if (event.type === "agent_start") this.#before ??= loadedMessages(session)?.length;
      if (event.type === "agent_end") this.#quietly(() => this.#add());
    });
    for (const name of ["prompt", "continue"] as const) {
      const inner = agent[name];
      if (typeof inner !== "function") continue;
      agent[name] = (...given) => {
        this.#quietly(() => this.#remove());
        return inner.apply(agent, given);
      };
    }
  }

  /** Remembers the last batch of the list from which a move was made. */
  moved(messages: readonly unknown[]): void {
    const from = messages.findLastIndex((message) => isObject(message) && message.role === "assistant");
    this.#batch = messages
      .slice(Math.max(0, from))
      .filter((message) => isObject(message) && (message.role === "assistant" || message.role === "toolResult"));
  }

  #add(): void {
    const messages = loadedMessages(this.#session);
    const at = messages?.findLastIndex(isCarryover) ?? -1;
    if (!messages || at < 0 || this.#batch.length === 0) return;
    const missing = Math.max(0, (this.#before ?? 0) - at);
    const added = [...Array.from({ length: missing }, unsent), ...this.#batch];
    this.#added = new Set(added);
    setMessages(this.#session, messages.toSpliced(at, 0, ...added));
  }

  #remove(): void {
    if (this.#added.size === 0) return;
    const messages = loadedMessages(this.#session);
    if (messages)
      setMessages(
        this.#session,
        messages.filter((message) => !this.#added.has(message)),
      );
    this.#added = new Set();
  }

  #quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      logFailure("move", error, "OpenClaw may not recover this turn by itself");
    }
  }
}

/** OpenClaw's agent with the methods that start a run. */
interface StartedAgent extends Agent {
  prompt?: (...given: unknown[]) => unknown;
  continue?: (...given: unknown[]) => unknown;
}

function isCarryover(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { customType, details } = message;
  return readArrival({ type: "custom_message", customType, details }) !== undefined;
}

/** A command of a person's that no model is told of: every release leaves it out of requests and counts no tokens. */
function unsent(): object {
  const command = { role: "bashExecution", command: "", output: "", exitCode: 0, cancelled: false, truncated: false };
  return { ...command, excludeFromContext: true, timestamp: 0 };
}
