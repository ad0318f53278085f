import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { healthyFrom } from "../../../harness/arbitrary/history.ts";
import { assistant, call, result, says, text, user } from "../../../harness/messages.ts";
import { repair } from "../../transcript/repair.ts";
import { validate } from "../../transcript/validate.ts";
import { prepare } from "../../wire/prepare.ts";
import type { GuardedSession } from "../openclaw/session.ts";
import { withUnofferedAsText } from "./unoffered.ts";

const RELEASE = "2026.4.2";
const sessionWith = (...names: string[]): GuardedSession => ({
  agent: { state: { tools: names.map((name) => ({ name })) } },
});
const inWords = (messages: object[], session: GuardedSession, context: object = { release: RELEASE }): unknown[] =>
  withUnofferedAsText<unknown>(session, context, messages);

const HISTORY = [
  user("look"),
  assistant(text("I look."), call("a"), call("b", "weather")),
  result("a"),
  result("b", "rain", { toolName: "weather" }),
  says("rain"),
];

describe("calls of tools that a run does not offer, which OpenClaw would take out with their results", () => {
  it("are sent in words, and the others as they are", () => {
    const sent = prepare("anthropic-messages", inWords(HISTORY, sessionWith("read")));
    expect(validate(sent)).toEqual([]);
    expect(sent.slice(0, 3)).toEqual([
      HISTORY[0],
      expect.objectContaining({ content: [text("I look."), call("a"), expect.objectContaining({ type: "text" })] }),
      HISTORY[2],
    ]);
    expect(JSON.stringify(sent)).toContain("weather returned:]\\n> rain");
  });

  it.each([
    ["all are offered, in whatever spelling OpenClaw takes for the same", sessionWith("READ", " weather ")],
    ["no tool is offered: OpenClaw keeps all then", sessionWith()],
    ["the session does not tell its tools", { agent: { state: {} } }],
    ["the session offers tools behind others", sessionWith("read", "tool_search")],
  ])("are as they were where %s", (_where, session) => {
    expect(inWords(HISTORY, session)).toBe(HISTORY);
  });

  it.each([undefined, "", "dev", "2026.2.3", "2026.2.21", "2026.9.5", "2026.9.6-acme.1", "2027.1.1"])(
    "are as they were on a release that keeps them: %s",
    (release) => {
      expect(inWords(HISTORY, sessionWith("read"), { release })).toBe(HISTORY);
    },
  );

  it.each(["2026.2.22", "2026.2.22-1", "2026.4.12-beta.1", "2026.9.4", "2026.9.4-acme.1"])(
    "are sent in words on a release that drops them: %s",
    (release) => {
      expect(inWords(HISTORY, sessionWith("read"), { release })).not.toBe(HISTORY);
    },
  );

  it("count no more against the limit of a chat's history, which cuts at messages of users", () => {
    const isUsers = (message: unknown): boolean => (message as { role: string }).role === "user";
    const quoted = [user("[The tool read returned:]\n> nothing"), ...HISTORY];
    const sent = inWords(quoted, sessionWith("read"));
    expect(sent.filter(isUsers)).toHaveLength(quoted.filter(isUsers).length);
    expect(sent[4]).toMatchObject({ role: "custom", display: false, content: [{ type: "text" }] });
  });

  it("are sent in words where a release takes names with a dot out, whatever the run offers", () => {
    const dotted = [user("look"), assistant(call("a", "git.log")), result("a", "found", { toolName: "git.log" })];
    const narrow = { release: "2026.3.28" };
    expect(JSON.stringify(inWords(dotted, sessionWith("git.log"), narrow))).toContain("git.log returned:]\\n> found");
    expect(inWords(dotted, sessionWith("git.log"), { release: "2026.3.31" })).toBe(dotted);
    expect(JSON.stringify(inWords(dotted, sessionWith(), narrow))).toContain("git.log returned:]\\n> found");
    expect(inWords(dotted, sessionWith(), { release: "2026.3.31" })).toBe(dotted);
  });

  it("whatever a run offers: the history is valid, no result is lost, a second pass changes nothing", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        fc.subarray(["exec", "read", "web_search", "browser"], { minLength: 1 }),
        (seed, turns, names) => {
          const messages = [...repair(healthyFrom(seed, turns), { spelling: "openclaw" }).messages] as object[];
          const session = sessionWith(...names);
          const sent = prepare("anthropic-messages", inWords(messages, session) as object[]);
          expect(validate(sent)).toEqual([]);
          expect(inWords(sent, session)).toBe(sent);
          const said = JSON.stringify(sent);
          for (const word of JSON.stringify(messages).match(/(?:question|answer|output) \w+ end/g) ?? [])
            expect(said).toContain(word);
          for (const name of said.match(/(?<="type":"toolCall","id":"\w+","name":")[^"]+/g) ?? [])
            expect(names).toContain(name);
        },
      ),
    );
  });
});
