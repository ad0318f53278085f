/**
 * The tools of one conversation, and the guard's own journal of its calls, as a gateway calls both:
 * `node continuity-agent.ts <state directory> <session> <conversation> <calls as JSON>` makes the calls, tells that over
 * IPC, and lives on until it is killed.
 */
import { pathToFileURL } from "node:url";
import { TOOL_PREFIX } from "../../src/continuity-tools/project-name.ts";
import { callsFrom } from "../../src/continuity-tools/tool-journal.ts";
import { CycleLog } from "../../src/guard/cycles/cycle-log.ts";
import { storePlace } from "../../src/plugin/continuity/store.ts";
import { toolsFor } from "../../src/plugin/continuity/tools.ts";
import { ContinuityWork } from "../../src/plugin/continuity/work.ts";

export const PROJECT = "agent:main";
export const DAY_MS = 24 * 60 * 60 * 1000;

/** A call that an agent makes, and how far it comes before the process is killed. */
export interface AgentCall {
  readonly id: string;
  readonly tool: string;
  readonly input?: object;
  /** Of a tool that is not ours; ours are executed to their end. */
  readonly until?: "asked" | "started" | "ended" | "failed";
  readonly result?: string;
}

/** Returns the recorded work of a gateway with that state directory. */
export function workIn(state: string): ContinuityWork {
  const place = storePlace({ postgres: undefined, file: undefined, anchor: undefined }, state);
  const log = { error: console.error, warn: console.error };
  return new ContinuityWork({ place, log, toolPrefix: TOOL_PREFIX, calls: callsFrom(state) });
}

/** An agent in one session of a conversation. */
export class Agent {
  readonly #log: CycleLog;
  readonly #work: ContinuityWork;
  readonly #conversation: string;

  constructor(work: ContinuityWork, session: string, conversation: string) {
    this.#log = new CycleLog(session);
    this.#work = work;
    this.#conversation = conversation;
  }

  /** Makes the calls of one answer of the model, one after the other. Returns what our own tools answered. */
  async answer(...calls: readonly AgentCall[]): Promise<Record<string, unknown>[]> {
    const content = calls.map(({ id, tool, input = {} }) => ({ type: "toolCall", id, name: tool, arguments: input }));
    this.#log.answered({ role: "assistant", content } as never);
    const answers: Record<string, unknown>[] = [];
    for (const call of calls) answers.push(...(await this.#make(call)));
    return answers;
  }

  async #make({ id, tool, input = {}, until = "ended", result = "" }: AgentCall): Promise<Record<string, unknown>[]> {
    if (until === "asked") return [];
    this.#log.started(id, tool, input);
    if (until === "started") return [];
    const own = this.#tools().find(({ name }) => name === tool);
    const given = await own?.execute(id, input);
    const content = given?.content ?? [{ type: "text", text: result }];
    this.#log.returned(id, { content, isError: until === "failed" }, {});
    return given ? [given.details as Record<string, unknown>] : [];
  }

  #tools(): ReturnType<typeof toolsFor> {
    const { leases, calls } = this.#work;
    return toolsFor(() => this.#work.project(PROJECT, this.#conversation), leases, { staleAfterMs: DAY_MS, calls });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [state = "", session = "", conversation = "", calls = "[]"] = process.argv.slice(2);
  process.env["OPENCLAW_STATE_DIR"] = state;
  const agent = new Agent(workIn(state), session, conversation);
  for (const answer of JSON.parse(calls) as AgentCall[][]) await agent.answer(...answer);
  process.send!("made");
  setInterval(() => undefined, 1000);
}
