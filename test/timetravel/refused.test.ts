import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Run } from "../../src/guard/recovery/run.ts";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";
import { Traveller } from "../../src/guard/travel/travel.ts";
import { watchBoundaries } from "../../src/guard/travel/turn-boundary.ts";
import { intentDetails } from "../../src/timetravel/index.ts";
import { isObject } from "../../src/transcript/json/json.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { type Managers, type RealManager, sessionManagers } from "./managers.ts";
import { makeMessages } from "../../harness/openclaw/travelling.ts";

beforeAll(() => void vi.spyOn(console, "warn").mockReturnValue());
afterAll(() => void vi.restoreAllMocks());

describe.each(BASE_RELEASES)("a move that cannot be made, in the session manager of OpenClaw %s", (release) => {
  let managers: Managers;
  beforeAll(async () => {
    managers = await sessionManagers(release);
  });

  /** A run that stands behind a batch with a move in it. */
  function atBatch() {
    const manager = managers.SessionManager.inMemory("/workspace");
    const ids = makeMessages("anthropic-messages").map((message, nth) =>
      manager.appendMessage({ ...message, timestamp: 1_780_000_000_000 + nth }),
    );
    const session: GuardedSession = { agent: { state: { messages: [] } }, sessionManager: manager };
    const traveller = new Traveller(
      session,
      { api: "anthropic-messages", sessionKey: "agent:main:one" },
      new Run(session, {}),
      undefined,
    );
    const context = manager.buildSessionContext().messages.slice();
    const say = (message: object): void => {
      manager.appendMessage(message);
      context.push(message);
    };
    say({ role: "user", content: [{ type: "text", text: "question-four" }], timestamp: 1_780_000_001_000 });
    say({
      role: "assistant",
      content: [{ type: "toolCall", id: "toolu_move", name: "tobe", arguments: {} }],
      stopReason: "toolUse",
      api: "a",
      provider: "p",
      model: "m",
      usage: {},
      timestamp: 1_780_000_001_001,
    });
    traveller.asked();
    const { intent } = traveller.request(ids[4]!, "a note");
    const result = {
      role: "toolResult",
      toolCallId: "toolu_move",
      toolName: "tobe",
      content: [{ type: "text", text: "soon" }],
      details: intentDetails(intent),
      isError: false,
      timestamp: 1_780_000_001_002,
    };
    return { manager, traveller, session, context, say, result, intent };
  }

  const leaf = (manager: RealManager): Record<string, unknown> | undefined =>
    manager.getBranch().filter(isObject).at(-1);

  it("when the store refuses the carryover: the run goes on where it was, is told why, and the next move works", async () => {
    const { manager, traveller, session, context, say, result, intent } = atBatch();
    say(result);
    const departure = manager.getLeafId();
    const append = manager.appendCustomMessageEntry;
    let failures = 1;
    manager.appendCustomMessageEntry = function (...given) {
      if (failures-- > 0) throw new Error("the disk is full of secrets");
      return append.apply(this, given);
    };
    const next = await traveller.atBoundary(context, undefined);
    expect(next?.slice(0, -1)).toEqual(context);
    expect(JSON.stringify(next?.at(-1))).toContain("was not made: Error");
    expect(JSON.stringify(next?.at(-1))).not.toContain("secrets");
    expect(session.agent.state?.messages).toEqual(next);
    expect(leaf(manager)).toMatchObject({
      parentId: departure,
      customType: "openclaw-integrity:move-aborted",
      details: { intentId: intent.intentId },
    });
    traveller.asked();
    expect(() => traveller.request("turn:-1", "another note")).not.toThrow();
  });

  it("when the history behind the target cannot be built: back to where it was, in the store too", async () => {
    const { manager, traveller, context, say, result } = atBatch();
    say(result);
    const departure = manager.getLeafId();
    const build = manager.buildSessionContext;
    let failures = 1;
    manager.buildSessionContext = function (...given) {
      if (failures-- > 0) throw new Error("no memory");
      return build.apply(this, given);
    };
    const next = await traveller.atBoundary(context, undefined);
    expect(next?.slice(0, -1)).toEqual(context);
    expect(leaf(manager)).toMatchObject({ parentId: departure, customType: "openclaw-integrity:move-aborted" });
    // What OpenClaw stores next hangs there, and so does a load.
    const answer = manager.appendMessage({
      role: "assistant",
      content: [{ type: "text", text: "all right" }],
      stopReason: "stop",
      api: "a",
      provider: "p",
      model: "m",
      usage: {},
      timestamp: 1_780_000_002_000,
    });
    expect(
      manager
        .getBranch()
        .filter(isObject)
        .slice(-3)
        .map(({ id }) => id),
    ).toEqual([departure, leaf(manager)?.parentId, answer]);
  });

  it("when nothing at all can be written: the run goes on, untold", async () => {
    const { manager, traveller, context, say, result } = atBatch();
    say(result);
    const departure = manager.getLeafId();
    manager.appendCustomMessageEntry = () => {
      throw new Error("read-only");
    };
    expect(await traveller.atBoundary(context, undefined)).toBeUndefined();
    expect(manager.getLeafId()).toBe(departure);
  });

  it("when a result of the batch is not stored: it would become an orphan behind the move, so there is none", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const { manager, traveller, context, result } = atBatch();
      context.push(result);
      const waiting = traveller.atBoundary(context, undefined);
      await vi.advanceTimersByTimeAsync(6_000);
      const next = await waiting;
      expect(JSON.stringify(next?.at(-1))).toContain("1 of 1 missing");
      expect(
        manager
          .getBranch()
          .filter(isObject)
          .some(({ customType }) => customType === "openclaw-integrity:carryover"),
      ).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("when the user has stopped the run, or the result is not the one of its tool: nothing is written", async () => {
    const aborted = atBatch();
    aborted.say(aborted.result);
    const before = aborted.manager.getEntries().length;
    expect(await aborted.traveller.atBoundary(aborted.context, AbortSignal.abort())).toBeUndefined();
    expect(aborted.manager.getEntries().length).toBe(before);
    const forged = atBatch();
    forged.say({ ...forged.result, details: { ...forged.result.details, intentId: "another" } });
    expect(await forged.traveller.atBoundary(forged.context, undefined)).toBeUndefined();
  });

  it("what was asked for in one batch is not made behind a later one", async () => {
    const { traveller, context, say, result } = atBatch();
    say(result);
    traveller.asked();
    expect(await traveller.atBoundary(context, undefined)).toBeUndefined();
  });
});

describe("the boundary of each generation of OpenClaw's agent", () => {
  const moved = [{ role: "user", content: "there" }];
  const given = [{ role: "user", content: "here" }];

  it("prepareNextTurnWithContext: the loop gets the list with the rest of its context, and OpenClaw's own snapshot stays", async () => {
    const agent = {
      prepareNextTurnWithContext: async () => ({
        model: "m",
        context: { systemPrompt: "s", messages: given, tools: [] },
      }),
    };
    expect(watchBoundaries(agent as never, async () => moved)).toBe(true);
    const prepare = agent.prepareNextTurnWithContext as unknown as (turn: object) => Promise<unknown>;
    expect(await prepare({ context: { messages: given } })).toEqual({
      model: "m",
      context: { systemPrompt: "s", messages: moved, tools: [] },
    });
    const ending = { prepareNextTurnWithContext: async () => ({ stop: true }) };
    watchBoundaries(ending as never, async () => moved);
    expect(
      await (ending.prepareNextTurnWithContext as unknown as typeof prepare)({ context: { messages: given } }),
    ).toEqual({ stop: true });
  });

  it("prepareNextTurn: what OpenClaw prepared itself is kept, also when there is no move", async () => {
    const agent = {
      prepareNextTurn: undefined as unknown,
      state: { messages: given, systemPrompt: "s", tools: ["t"] },
    };
    watchBoundaries(agent as never, async (messages) => (messages === given ? moved : undefined));
    expect(await (agent.prepareNextTurn as () => Promise<unknown>)()).toEqual({
      context: { systemPrompt: "s", tools: ["t"], messages: moved },
    });
    const quiet = { prepareNextTurn: async () => ({ model: "m" }), state: { messages: given } };
    watchBoundaries(quiet as never, async () => undefined);
    expect(await quiet.prepareNextTurn()).toEqual({ model: "m" });
  });

  it("transformContext: the loop's own list is changed, and OpenClaw's transformation is asked behind it", async () => {
    const agent = { transformContext: async (messages: unknown[]) => [...messages, "transformed"] };
    watchBoundaries(agent as never, async () => moved);
    const list: unknown[] = given.slice();
    expect(await agent.transformContext(list)).toEqual([...moved, "transformed"]);
    expect(list).toEqual(moved);
    expect(watchBoundaries({} as never, async () => moved)).toBe(false);
  });
});
