import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOOLS } from "../../harness/openclaw/travelling.ts";
import type { Session } from "../../harness/openclaw/types.ts";
import { startProvider, type StrictProvider, type ToolCallSpec } from "../../harness/providers/index.ts";
import { readArrival, historyOfRows } from "../../src/timetravel/index.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { makeRandom } from "../../harness/random.ts";
import { Host, type HostOptions, type Said } from "../travel-chaos/host.ts";
import { writeHistory } from "../travel-chaos/scenarios.ts";
import { readStored } from "../travel-chaos/stored.ts";
import { COMMAND, listDifferences, filesIn, type Files, setUp } from "./scene.ts";
import type { Place, Step } from "./steps.ts";

/** One kill. */
export interface Kill {
  readonly n: number;
  readonly place: Place;
  /** What the step is, for the report. */
  readonly verb: string;
  /** Whether the move is under way at the step: each move has these, and what comes later may be late or missing. */
  readonly isUnderWay: boolean;
}

/** What became of a kill. */
export interface Outcome {
  readonly kill: Kill;
  readonly isKilled: boolean;
  /** Whether the conversation has moved. */
  readonly moved: boolean;
  /** How many files stood where they should not right after the kill, before anything was settled. */
  readonly mixed: number;
  readonly findings: readonly string[];
}

export interface PlayOptions extends Pick<HostOptions, "release" | "roots" | "log"> {
  readonly kills: number;
  readonly seed: string;
  readonly only?: readonly number[] | undefined;
  /** The kills to make, of all that are planned; by default all. */
  readonly choose?: (plan: readonly Kill[]) => readonly Kill[];
  readonly done: (outcome: Outcome) => void;
}

const KILLS_PER_STATE = 20;
const PLUGIN = { timeTravel: { enabled: true, files: true } };
const PRELOAD = fileURLToPath(new URL("preload.ts", import.meta.url));

/** Plays all kills on one release. Rejects when OpenClaw does not come up. */
export async function playRelease(options: PlayOptions): Promise<void> {
  let plan: readonly Kill[] | undefined;
  for (let from = 0; plan === undefined || from < plan.length; from += KILLS_PER_STATE) {
    const provider = await startProvider();
    const host = await Host.make({ ...options, providerUrl: provider.url, plugin: PLUGIN, preload: PRELOAD });
    try {
      if (plan === undefined) {
        const all = planKills(await lookAt(host, provider), options);
        plan = (options.choose?.(all) ?? all).filter(({ n }) => options.only === undefined || options.only.includes(n));
      }
      for (const kill of plan.slice(from, from + KILLS_PER_STATE)) options.done(await play(kill, host, provider));
    } finally {
      await host.close();
      await provider.close();
    }
  }
}

/** The steps of a turn that nobody kills. Throws when it does not bring the files back. */
async function lookAt(host: Host, provider: StrictProvider): Promise<Step[]> {
  // The first turn of a process is far slower than the others.
  await new Conversation(host, provider).turn([]);
  const conversation = new Conversation(host, provider);
  const { before } = await conversation.prepare();
  host.order({ tag: conversation.tag });
  const { answered, error } = await conversation.move();
  const wrong = listDifferences(filesIn(host.workspace), before);
  if (!answered || wrong.length > 0)
    throw new Error(`expected an undisturbed move; found: ${error ?? `other files: ${wrong.join(", ")}`}`);
  const steps = host.written() as Step[];
  await host.kill();
  host.order({ tag: "" });
  return steps;
}

type Planned = Omit<Kill, "n">;

function placeParts({ isCut }: Step): Place["part"][] {
  return ["before", ...(isCut ? (["half"] as const) : []), "after"];
}

/**
 * Kills at every step from the intent to some steps behind the move's end, then at steps of the batch before, evenly. As
 * many as asked for; more than there are places are made at random ones again.
 */
function planKills(steps: readonly Step[], { kills, seed }: PlayOptions): Kill[] {
  const intent = steps.findIndex(({ sinceIntent }) => sinceIntent === 0);
  if (intent < 0) throw new Error("expected a turn that records the intent of a move; found none");
  const last = steps.findLastIndex(({ isUnderWay }) => isUnderWay);
  const own = steps.slice(intent, last + 12).flatMap((step): Planned[] =>
    placeParts(step).map((part) => ({
      place: { from: "intent" as const, at: step.sinceIntent, part },
      verb: step.verb,
      isUnderWay: step.isUnderWay,
    })),
  );
  const batch = steps.slice(0, intent).map((step): Planned => ({
    place: { from: "answer" as const, at: step.n, part: "before" as const },
    verb: step.verb,
    isUnderWay: step.isUnderWay,
  }));
  const random = makeRandom(seed);
  // Every place of the move once, when there are kills enough; else places evenly spread.
  const share = Math.min(own.length, Math.ceil(kills * 0.85));
  const chosen = own.filter(
    (_, at) => Math.floor((at * share) / own.length) !== Math.floor(((at - 1) * share) / own.length),
  );
  while (chosen.length < kills) chosen.push(random.pick(chosen.length % 3 === 0 ? own : batch));
  // In no order: a run that is ended early has visited all parts of the move.
  for (let at = chosen.length - 1; at > 0; at--) {
    const other = random.between(0, at);
    [chosen[at], chosen[other]] = [chosen[other]!, chosen[at]!];
  }
  return chosen.map((one, n) => ({ ...one, n }));
}

async function play(kill: Kill, host: Host, provider: StrictProvider): Promise<Outcome> {
  const conversation = new Conversation(host, provider);
  const { session, tag } = conversation;
  const { before, after } = await conversation.prepare();
  host.order({ tag, place: kill.place });
  const { answered } = await conversation.move();
  const isKilled = !answered && (host.written() as { killed?: Place }[]).some(({ killed }) => killed !== undefined);
  await host.kill();
  host.order({ tag: "" });
  const moved = hasMoved(host, session.id);
  const expected = moved ? before : after;
  const mixed = listDifferences(filesIn(host.workspace), expected).length;
  const findings: string[] = [];
  const said = await conversation.turn([], "and now?");
  if (!said.answered) findings.push(`the next turn is not answered: ${said.error ?? "no error"}`);
  if (hasMoved(host, session.id) !== moved)
    findings.push(`the conversation ${moved ? "is no longer" : "has now"} moved`);
  findings.push(...judge(host, expected, moved));
  return { kill, isKilled, moved, mixed, findings };
}

function hasMoved(host: Host, sessionId: string): boolean {
  const history = historyOfRows(readStored(host.stateDir, sessionId).rows);
  return history.path().some(({ entry }) => readArrival(entry)?.files === "restore");
}

function judge(host: Host, expected: Files, moved: boolean): string[] {
  const wrong = listDifferences(filesIn(host.workspace), expected);
  const store = WorkspaceStore.all(host.stateDir)[0];
  const pending = store?.read((records) => records.pending()).length ?? 0;
  return [
    ...(wrong.length === 0
      ? []
      : [
          `the conversation has ${moved ? "" : "not "}moved, and these files have${moved ? " not" : ""}: ${wrong.join(", ")}`,
        ]),
    ...(pending === 0 ? [] : ["the move is still under way after the next load"]),
    ...(existsSync(join(store?.folder ?? "", "move-under-way")) ? ["the mark of a move under way is left"] : []),
    ...readdirSync(host.workspace)
      .filter((name) => name.startsWith(".openclaw-integrity"))
      .map((name) => `${name} is left in the workspace`),
  ];
}

/** A conversation in which the agent changes files and goes back with them. */
class Conversation {
  readonly session: Session;
  readonly tag: string;
  readonly #host: Host;
  readonly #provider: StrictProvider;

  constructor(host: Host, provider: StrictProvider) {
    const id = randomUUID();
    const seed = id.slice(0, 8);
    this.#host = host;
    this.#provider = provider;
    this.tag = `travel-note-${seed}`;
    this.session = {
      id,
      key: `agent:main:files-${seed}`,
      transcript: writeHistory(seed),
      api: "anthropic-messages",
      tools: [...TOOLS],
    };
  }

  /** Stores the conversation and lets the agent change files; returns what stood before and after. */
  async prepare(): Promise<{ before: Files; after: Files }> {
    const { workspace } = this.#host;
    setUp(workspace);
    const before = filesIn(workspace);
    await this.turn([{ name: "exec", arguments: { command: COMMAND } }], "change the files", true);
    const after = filesIn(workspace);
    if (listDifferences(before, after).length < 8)
      throw new Error(
        `expected an agent that changes files; found ${listDifferences(before, after).join(", ") || "none"}`,
      );
    return { before, after };
  }

  /** The turn that goes back, behind the end of the history. */
  async move(): Promise<Said> {
    return this.turn(
      [
        {
          name: "tobe",
          arguments: { target: "turn:-2", carryover_message: `otherwise, ${this.tag}`, files: "restore" },
        },
      ],
      "go back",
    );
  }

  async turn(
    calls: readonly ToolCallSpec[],
    message = "what did I ask you first?",
    isNew = calls.length === 0 && message.startsWith("what"),
  ): Promise<Said> {
    if (isNew) await this.#host.store(this.session);
    this.#provider.reset();
    if (calls.length > 0) this.#provider.script({ kind: "tool", calls: [...calls] });
    this.#provider.script({ kind: "text", text: "done" });
    return await this.#host.send(this.session, message);
  }
}
