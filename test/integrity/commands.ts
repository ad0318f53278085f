import fc from "fast-check";
import { assert, expect } from "vitest";
import {
  createSessionIntegrity,
  type Checkpoint,
  type IntegrityEvent,
  type Journal,
  type Session,
  type SessionIntegrity,
  type ToolExecutor,
} from "../../src/integrity/index.ts";
import type { CallState, Oracle } from "./oracle.ts";
import { historyLines } from "./lines.ts";
import type { Disk } from "./disk.ts";
import type { SessionKind } from "./kind.ts";
import { WRITERS } from "./messages.ts";
import { failing, overriding } from "../../harness/openclaw/overriding.ts";

/** The system under test. */
export class System {
  readonly disk: Disk;
  journal!: Journal;
  session!: Session;
  integrity!: SessionIntegrity;
  /** Hears of every event, at the moment it happens. */
  watch: ((event: IntegrityEvent) => void) | undefined;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Takes up what is on the disk with new objects. */
  async start(): Promise<void> {
    ({ journal: this.journal, session: this.session } = await this.disk.open());
    const { retention } = this.disk;
    this.integrity = createSessionIntegrity({
      journal: this.journal,
      config: { checkpointRetention: retention, snapshotMessages: true },
      onEvent: (event) => this.watch?.(event),
    });
  }

  checkpoints(): Promise<Checkpoint[]> {
    return this.integrity.checkpoints(this.session).list(this.session.id);
  }
}

type Command = fc.AsyncCommand<Oracle, System>;

/** What must hold after every operation. */
async function assertSame(oracle: Oracle, system: System): Promise<void> {
  const { session, integrity, journal } = system;
  expect(historyLines(session.messages)).toEqual(oracle.history);
  expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  const stored = new Set(historyLines(await system.disk.everything()));
  for (const line of oracle.real) expect(stored, "something real is lost").toContain(line);
  const kept = await system.checkpoints();
  expect(
    kept.map(({ committedAt, rolledBackAt }) => ({
      committed: committedAt !== undefined,
      rolledBack: rolledBackAt !== undefined,
    })),
  ).toEqual(oracle.checkpoints.map(({ committed, rolledBack }) => ({ committed, rolledBack })));
  const latest = oracle.latest();
  expect(await integrity.checkpoints(session).getLatest(session.id)).toEqual(
    latest && kept[oracle.checkpoints.indexOf(latest)],
  );
  expect(journal.cycles.open(session.id).length).toBe(oracle.cutOff.flatMap(({ ids }) => ids).length);
}

function command(
  name: string,
  run: (oracle: Oracle, system: System) => Promise<void>,
  check: (oracle: Oracle) => boolean = () => true,
): Command {
  return {
    check,
    run: async (oracle, system) => {
      await run(oracle, system);
      await assertSame(oracle, system);
    },
    toString: () => name,
  };
}

/** Tools that give back what they are told to, by call; undefined: they throw. */
function tools(texts: ReadonlyMap<string, string | undefined>): ToolExecutor {
  return {
    execute: async (_name, input) => {
      const text = texts.get((input as { for: string }).for);
      if (text === undefined) throw new Error("did nothing");
      return { output: text };
    },
  };
}

function newCalls(oracle: Oracle, count: number): string[] {
  return Array.from({ length: count }, () => `toolu_${oracle.fresh()}`);
}

const checkpoint = command("checkpoint", async (oracle, system) => {
  oracle.checkpoint(true);
  await system.integrity.checkpoint(system.session, "manual");
});

const say = command("say", async (oracle, system) => {
  const { user, says } = WRITERS[system.session.format];
  const [asked, said] = [oracle.fresh(), oracle.fresh()];
  oracle.say(`user:${asked}`, `says:${said}`);
  await system.session.append([user(asked), says(said)]);
});

const run = (count: number): Command =>
  command(`run ${count}`, async (oracle, system) => {
    const ids = newCalls(oracle, count);
    const made = oracle.checkpoint();
    oracle.finish(
      ids,
      ids.map((id) => `out ${id}`),
    );
    oracle.commit(made);
    const outcome = await system.integrity.executeToolCycle(
      system.session,
      messageWith(system, ids),
      tools(new Map(ids.map((id) => [id, `out ${id}`]))),
    );
    expect(outcome).toMatchObject({ success: true });
  });

const fail = (count: number, ran: number): Command =>
  command(`fail ${count - ran} of ${count}`, async (oracle, system) => {
    const ids = newCalls(oracle, count);
    const made = oracle.checkpoint();
    const texts = ids.map((id, at) => (at < ran ? `out ${id}` : undefined));
    if (ran === 0) made.rolledBack = true;
    else {
      oracle.finish(
        ids,
        texts.map((text) => text ?? "failed"),
      );
      oracle.commit(made);
    }
    const outcome = await system.integrity.executeToolCycle(
      system.session,
      messageWith(system, ids),
      tools(new Map(ids.map((id, at) => [id, texts[at]]))),
    );
    expect(outcome).toMatchObject({ success: false, rolledBack: ran === 0 });
  });

/** Where a kill hits a cycle: the event after which nothing happens any more, and at which of the calls. */
export type Kill = {
  after:
    | "l0:checkpoint:created"
    | "l0:cycle:pending"
    | "l0:cycle:executing"
    | "l0:cycle:recorded"
    | "stored"
    | "l0:cycle:committed";
  at: number;
};

const crash = (count: number, { after, at }: Kill): Command =>
  command(`crash of ${count} after ${after} ${at}`, async (oracle, system) => {
    const ids = newCalls(oracle, count);
    const made = oracle.checkpoint();
    const hit = Math.min(at, count - 1);
    const texts = ids.map((id) => `out ${id}`);
    const cutOff = (state: (call: number) => CallState, stored = false): void =>
      void oracle.cutOff.push({ checkpoint: made, ids, calls: ids.map((_, call) => state(call)), stored });
    if (after === "l0:cycle:pending") cutOff(() => ({ state: "pending" }));
    if (after === "l0:cycle:executing") cutOff((call) => ({ state: call <= hit ? "executing" : "pending" }));
    if (after === "l0:cycle:recorded")
      cutOff((call) => (call <= hit ? { state: "recording", text: texts[call]! } : { state: "executing" }));
    if (after === "stored" || after === "l0:cycle:committed") oracle.finish(ids, texts);
    if (after === "stored") cutOff((call) => ({ state: "recording", text: texts[call]! }), true);
    if (after === "l0:cycle:committed") oracle.commit(made);

    let seen = 0;
    const hits = after === "l0:cycle:executing" || after === "l0:cycle:recorded" ? hit : 0;
    system.watch = ({ event }) => {
      if (event === after && seen++ === hits) system.disk.kill(system.session);
    };
    const { session } = system;
    const watched = overriding(session, "persistToolCycle", async (own) => {
      await own();
      if (after === "stored") system.disk.kill(session);
    });
    await system.integrity.executeToolCycle(
      watched,
      messageWith(system, ids),
      tools(new Map(ids.map((id, call) => [id, texts[call]]))),
    );
    system.watch = undefined;
    oracle.stops = 0;
    // Whatever happened after the kill never happened.
    await system.start();
  });

const unstored = (count: number): Command =>
  command(`run ${count} and fail to store`, async (oracle, system) => {
    const ids = newCalls(oracle, count);
    oracle.cutOff.push({
      checkpoint: oracle.checkpoint(),
      ids,
      calls: ids.map((id) => ({ state: "recording", text: `out ${id}` })),
      stored: false,
    });
    const outcome = await system.integrity.executeToolCycle(
      failing(system.session, "persistToolCycle", "disk full"),
      messageWith(system, ids),
      tools(new Map(ids.map((id) => [id, `out ${id}`]))),
    );
    expect(outcome).toMatchObject({ success: false, rolledBack: false });
  });

const recover = command("recover", async (oracle, system) => {
  oracle.recover();
  await system.integrity.recover(system.session);
});

const repair = command("repair", async (oracle, system) => {
  oracle.recover();
  await system.integrity.repair(system.session);
});

const call = command("call", async (oracle, system) => {
  oracle.recover();
  oracle.commit(oracle.checkpoint());
  oracle.stops = 0;
  if (system.session.format === "openclaw") {
    const outcome = await system.integrity.guardCall(system.session, async (messages) => historyLines(messages));
    assert.deepEqual(outcome, { outcome: "answered", response: oracle.history });
    return;
  }
  // Anthropic's API wants other messages where two of the assistant's follow each other, or none of the user's is first
  // or last; what was said is the same.
  const { response = "" } = await system.integrity.guardCall(system.session, async (messages) =>
    JSON.stringify(messages),
  );
  for (const [, name] of oracle.history.join("\n").matchAll(/(n\d+)\b/g)) assert.include(response, name!);
});

const FILTERED = Object.assign(new Error('400 {"type":"error","error":{"type":"content_filtered"}}'), { status: 400 });

const filterHalf = command(
  "content filter in an answer",
  async (oracle, system) => {
    const said = oracle.fresh();
    oracle.checkpoint();
    const base = oracle.history.length;
    oracle.say(`says:${said}`);
    oracle.filter(base);
    await system.integrity.checkpoint(system.session, "api_call");
    await system.session.append([WRITERS[system.session.format].says(said)]);
    await system.integrity.handleError(system.session, FILTERED);
  },
  ({ history, cutOff }) => history.length > 0 && cutOff.length === 0,
);

const filterWords = command("content filter on words", async (oracle, system) => {
  const asked = oracle.fresh();
  oracle.say(`user:${asked}`);
  oracle.filter();
  await system.session.append([WRITERS[system.session.format].user(asked)]);
  await system.integrity.handleError(system.session, FILTERED);
});

const filterNothing = command(
  "content filter on nothing new",
  async (oracle, system) => {
    oracle.filter();
    await system.integrity.handleError(system.session, FILTERED);
  },
  ({ history }) => history.length > 0,
);

const commit = (which: number): Command =>
  command(
    `commit ${which}`,
    async (oracle, system) => {
      const at = which % oracle.checkpoints.length;
      const { id } = (await system.checkpoints())[at]!;
      oracle.commit(oracle.checkpoints[at]!);
      await system.integrity.checkpoints(system.session).commit(id);
    },
    ({ checkpoints }) => checkpoints.length > 0,
  );

const rollBack = (which: number, useSnapshot: boolean): Command =>
  command(
    `roll back ${which}${useSnapshot ? " from its copy" : ""}`,
    async (oracle, system) => {
      const at = which % oracle.checkpoints.length;
      const { id } = (await system.checkpoints())[at]!;
      oracle.rollBack(oracle.checkpoints[at]!);
      const { newMessageCount } = await system.integrity.rollback(system.session, id, { useSnapshot });
      expect(newMessageCount).toBe(system.session.messages.length);
    },
    ({ checkpoints }) => checkpoints.length > 0,
  );

const prune = (keep: number): Command =>
  command(`prune to ${keep}`, async (oracle, system) => {
    oracle.prune(keep);
    await system.integrity.checkpoints(system.session).prune(system.session.id, keep);
  });

const restart = command("restart", async (oracle, system) => {
  oracle.stops = 0;
  system.disk.end(system.session);
  await system.start();
});

const reset = command("reset", async (oracle, system) => {
  oracle.reset();
  await system.integrity.reset(system.session, { tail: false });
});

/** A message of the assistant's with these calls. */
function messageWith({ session }: System, ids: readonly string[]): { role: "assistant"; content: object[] } {
  return WRITERS[session.format].calls(...ids) as unknown as { role: "assistant"; content: object[] };
}

const kill: fc.Arbitrary<Kill> = fc.record({
  after: fc.constantFrom(
    "l0:checkpoint:created",
    "l0:cycle:pending",
    "l0:cycle:executing",
    "l0:cycle:recorded",
    "stored",
    "l0:cycle:committed",
  ),
  at: fc.nat(2),
});
const count = fc.integer({ min: 1, max: 3 });

const crashes = fc.tuple(count, kill).map(([calls, where]) => crash(calls, where));
const rollBacks = fc.tuple(fc.nat(9), fc.boolean()).map(([which, useSnapshot]) => rollBack(which, useSnapshot));

/** Each of these is as likely as the others. */
const operations: fc.Arbitrary<Command>[] = [
  fc.constant(checkpoint),
  fc.constant(say),
  fc.constant(recover),
  fc.constantFrom(call, repair),
  fc.constantFrom(filterHalf, filterWords, filterNothing),
  fc.constantFrom(restart, restart, reset),
  count.map(run),
  count.chain((calls) => fc.nat(calls - 1).map((ran) => fail(calls, ran))),
  count.map(unstored),
  fc.nat(9).map(commit),
  rollBacks,
  rollBacks,
  fc.nat(3).map(prune),
];

/** All operations, for any order of them; without kills where no image of the disk can be taken. */
export function commandsFor({ image }: SessionKind): fc.Arbitrary<Command>[] {
  return image ? [...operations, crashes, crashes] : operations;
}
