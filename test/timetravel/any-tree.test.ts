import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { gated } from "../../src/guard/history/gated.ts";
import { Run } from "../../src/guard/recovery/run.ts";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";
import { Traveller } from "../../src/guard/travel/travel.ts";
import { toHistory } from "../../src/guard/travel/history.ts";
import { intentDetails, TimeTravelError } from "../../src/timetravel/index.ts";
import { validate } from "../../src/transcript/index.ts";
import { readArrival } from "../../src/timetravel/index.ts";
import { isObject } from "../../src/transcript/json/json.ts";
import { check, heal } from "../../src/wire/index.ts";
import { prepare } from "../../src/wire/prepare.ts";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { anyHistory, corruptHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { type Managers, type RealManager, sessionManagers } from "./managers.ts";

/** As it may have come into a store long ago; what this release would not even append is left out. */
function putIn(manager: RealManager, message: unknown): void {
  try {
    if (isObject(message)) manager.appendMessage(message);
  } catch {
    // Refused by 2026.9.6: an entry without content, say.
  }
}

/** One turn: what is said, and where the agent then wants to go; `places` counts through everything that is stored. */
const turn = fc.record({
  seed: fc.nat(100_000),
  target: fc.nat(10_000),
  form: fc.constantFrom("id", "id", "id", "turn", "root"),
  calls: fc.nat(3),
  at: fc.nat(3),
});
const begins = fc.oneof(
  fc.constant([] as unknown[]),
  corruptHistory.map(({ messages }) => messages as unknown[]),
  anyHistory,
);

// Whatever was stored, wherever an agent goes, what is sent next is whole for every API.
describe.each(BASE_RELEASES)("any tree and any moves in the session manager of OpenClaw %s", (release) => {
  let managers: Managers;
  beforeAll(async () => {
    managers = await sessionManagers(release);
    vi.spyOn(console, "warn").mockReturnValue();
  });

  it("every list that a run goes on with is whole for every API, holds the target's path and the note, and nothing is lost", async () => {
    const seen = { moves: 0, refusals: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(
        begins,
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...APIS),
        async (stored, turns, api) => {
          const manager = managers.SessionManager.inMemory("/workspace");
          for (const message of stored) putIn(manager, message);
          const session: GuardedSession = {
            agent: { state: { messages: gated(api, manager.buildSessionContext().messages) } },
            sessionManager: manager,
          };
          let context = session.agent.state!.messages!.slice();
          const say = (message: unknown): void => {
            manager.appendMessage(message);
            context.push(message);
          };
          let clock = 1_780_000_000_000;
          for (const [nth, { seed, target, form, calls, at }] of turns.entries()) {
            const traveller = new Traveller(
              session,
              { api, sessionKey: "agent:main:any" },
              new Run(session, { api }),
              undefined,
            );
            for (const message of JSON.parse(
              JSON.stringify(healthyFrom(seed, 1)).replaceAll("toolu_", `toolu_${nth}_`),
            ) as object[])
              say({ ...message, timestamp: clock++ });
            const nodes = toHistory(manager).nodes();
            const id = nodes[target % nodes.length]!.id;
            const asked = { id, turn: `turn:-${(target % 3) + 1}`, root: "root" }[form]!;
            const names = Array.from({ length: calls + 1 }, (_, call) => (call === at % (calls + 1) ? "tobe" : "read"));
            const callId = (call: number): string => `toolu_${nth}_${call}_moves`;
            say({ role: "user", content: [{ type: "text", text: `asked-${nth}` }], timestamp: clock++ });
            say({
              role: "assistant",
              content: names.map((name, call) => ({ type: "toolCall", id: callId(call), name, arguments: {} })),
              stopReason: "toolUse",
              api,
              provider: "p",
              model: "m",
              usage: { input: 0, output: 0 },
              timestamp: clock++,
            });
            traveller.asked();
            let moves = false;
            const note = `note-${nth}`;
            for (const [call, toolName] of names.entries()) {
              let details: object | undefined;
              if (toolName === "tobe") {
                try {
                  details = intentDetails(traveller.request(asked, note).intent);
                  moves = true;
                } catch (error) {
                  expect(error).toBeInstanceOf(TimeTravelError);
                  seen.refusals.add((error as TimeTravelError).code);
                }
              }
              say({
                role: "toolResult",
                toolCallId: callId(call),
                toolName,
                content: [{ type: "text", text: "done" }],
                isError: false,
                ...(details && { details }),
                timestamp: clock++,
              });
            }
            const before = manager.getEntries().map((entry) => JSON.stringify(entry));
            const leaf = manager.getLeafId();
            const next = await traveller.atBoundary(context, undefined);
            expect(next !== undefined).toBe(moves);
            // Nothing that was stored is gone or changed.
            expect(
              manager
                .getEntries()
                .slice(0, before.length)
                .map((entry) => JSON.stringify(entry)),
            ).toEqual(before);
            if (!next) {
              expect(manager.getLeafId()).toBe(leaf);
              continue;
            }
            seen.moves += 1;
            context = next;
            expect(session.agent.state!.messages).toEqual(next);
            expect(validate(next)).toEqual([]);
            expect(JSON.stringify(next.at(-1))).toContain(note);
            expect(JSON.stringify(next)).toContain(`asked-${nth}`);
            const path = manager.getBranch().filter(isObject);
            const arrived = path.findLastIndex((entry) => readArrival(entry) !== undefined);
            expect(path[arrived]).toMatchObject({ type: "custom_message", details: { departureId: leaf } });
            // What is behind the carryover is shown to people, and the next turn loads the same list without it.
            for (const { type, summary, message } of path.slice(arrived + 1))
              expect(type === "branch_summary" ? summary : message).toEqual(
                type === "branch_summary" ? "" : expect.objectContaining({ role: "user", excludeFromContext: true }),
              );
            expect(JSON.stringify(manager.buildSessionContext().messages.at(-1))).toContain(note);
            for (const each of APIS) {
              const body = carelessBody(each, prepare(each, next));
              expect(check(each, heal(each, body)), each).toEqual([]);
            }
          }
        },
      ),
      { numRuns: Number(process.env.TRAVEL_RUNS ?? 60) },
    );
    expect(seen.moves).toBeGreaterThan(50);
    expect([...seen.refusals]).toContain("not-closed");
  });
});
