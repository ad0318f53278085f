/** What a model call does behind a refusal of its history: the second request, what goes on unchanged, the note. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  HISTORY,
  ORPHAN,
  OVERLOADED,
  answers,
  ask,
  calls,
  fails,
  makeContext,
  playInFreshHome,
  session,
  stateFolder,
  type Event,
} from "../../../harness/guard/played-call.ts";
import { result } from "../../../harness/messages.ts";
import { guardSession } from "../gates.ts";
import { incidentCounts } from "./incident.ts";

playInFreshHome();

describe("an answer that nothing is wrong with", () => {
  it("goes on event by event, the very same objects, with one request", async () => {
    const played = answers("hello") as { events: Event[] };
    const { guarded, seen } = session([played]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.events).toEqual(played.events);
    heard.events.forEach((event, at) => expect(event).toBe(played.events[at]));
    expect(heard.message).toBe(played.events.at(-1)!["message"]);
    expect(seen).toHaveLength(1);
    expect(readdirSync(stateFolder())).toEqual([]);
  });
});

describe("a refused history", () => {
  it("is sent again before OpenClaw has seen anything: one start, no word twice, a note behind the answer", async () => {
    const { guarded, seen } = session([fails(ORPHAN), answers("hello")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(2);
    expect(heard.types).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_end",
      "text_start",
      "text_delta",
      "text_end",
      "done",
    ]);
    expect(heard.words).toMatch(/^hello\n\n\[The provider refused a part/);
    expect(heard.message.content.map(({ text }) => text).join("")).toBe(heard.words);
    expect(JSON.stringify(seen[1])).toContain("The assistant called the tool read with");
    expect(JSON.stringify(seen[1])).toContain("toolu_b");
  });

  it("costs two requests more at most, each with another body, and then the user is told and nothing is changed", async () => {
    const { guarded, seen } = session([fails(ORPHAN)]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map((context) => JSON.stringify(context))).size).toBe(3);
    expect(heard.words).toMatch(/refuses every request of this conversation.*Nothing was changed/);
    // The rungs are used up for the whole turn, tool loops included.
    expect((await ask(guarded)).words).toBe(heard.words);
    expect(seen).toHaveLength(4);
  });

  it("stays treated in the later calls of the turn, so that the same history is not refused again", async () => {
    const { guarded, seen } = session([fails(ORPHAN), answers("working"), answers("done")]);
    guardSession(guarded, makeContext());
    await ask(guarded);
    await ask(guarded, [...HISTORY, calls("toolu_c"), result("toolu_c")]);
    expect(seen).toHaveLength(3);
    expect(JSON.stringify(seen[2]!.messages.slice(0, 3))).toBe(JSON.stringify(seen[1]!.messages.slice(0, 3)));
    expect(JSON.stringify(seen[2])).toContain('"id":"toolu_c"');
  });

  it("is left alone when words have already gone out, so that none is said twice", async () => {
    const { guarded, seen } = session([fails(ORPHAN, "half an ans")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(1);
    expect(heard.words).toBe("half an ans");
    expect(heard.message.errorMessage).toBe(ORPHAN);
  });

  it("is also healed when OpenClaw's own check throws before any request", async () => {
    const thrown = new Error("invalid_replay_transcript: dangling_tool_call toolCallId=toolu_b at message index 3");
    const { guarded, seen } = session([{ throws: thrown }, answers("hello")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/^hello/);
    expect(seen).toHaveLength(2);
  });

  it("does not reach an adapter that would throw on what somebody has changed in it since the last call", async () => {
    const history = structuredClone(HISTORY);
    const { content } = history[1] as unknown as { content: { arguments: Record<string, unknown> }[] };
    const { guarded, seen } = session([answers("a"), answers("b"), answers("hello"), answers("bye")]);
    guardSession(guarded, makeContext());
    await ask(guarded, history);
    await ask(guarded, history);
    content[0]!.arguments["self"] = content[0]!.arguments;
    expect((await ask(guarded, history)).words).toBe("hello");
    await ask(guarded, history);
    expect(seen).toHaveLength(4);
    const first = JSON.stringify(seen[2]!.messages);
    expect(first).toContain("toolu_b");
    expect(JSON.stringify(seen[3]!.messages)).toBe(first);
  });

  it("is also healed when the error comes without content, as from a plugin's own stream", async () => {
    const error = { role: "assistant", stopReason: "error", errorMessage: ORPHAN };
    const { guarded, seen } = session([{ events: [{ type: "error", reason: "error", error }] }, answers("hello")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/^hello/);
    expect(seen).toHaveLength(2);
  });

  it("is not what another error is about: it goes on unchanged, thrown or streamed", async () => {
    const other = new TypeError("fetch failed");
    const throwing = session([{ throws: other }]);
    guardSession(throwing.guarded, makeContext());
    await expect(ask(throwing.guarded)).rejects.toBe(other);
    const played = fails(OVERLOADED) as { events: Event[] };
    const overloaded = session([played]);
    guardSession(overloaded.guarded, makeContext());
    const heard = await ask(overloaded.guarded);
    expect(heard.events.at(-1)).toBe(played.events.at(-1));
    expect(overloaded.seen).toHaveLength(1);
  });

  it("leaves an incident without a word of the conversation, and counts it", async () => {
    const before = incidentCounts().answered;
    const { guarded } = session([fails(ORPHAN), answers("hello")]);
    guardSession(guarded, makeContext({ sessionId: "s-incident", release: "2026.9.6" }));
    await ask(guarded);
    expect(incidentCounts().answered).toBe(before + 1);
    const [file] = readdirSync(join(stateFolder(), "logs"));
    expect(file).toMatch(/^integrity-incident-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.json$/);
    const incident = JSON.parse(readFileSync(join(stateFolder(), "logs", file!), "utf8")) as object;
    expect(incident).toMatchObject({
      outcome: "answered",
      sessionId: "s-incident",
      release: "2026.9.6",
      steps: [
        {
          failure: "history",
          problem: "tool_pairing",
          message: 2,
          block: 0,
          ids: ["toolu_a"],
          requestId: "req_011CQ",
          status: 400,
          rung: "calls_as_text",
        },
      ],
    });
    expect(JSON.stringify(incident)).not.toMatch(/found toolu|read two/);
  });

  it("of one session changes nothing for another", async () => {
    const refused = session([fails(ORPHAN), answers("hello")]);
    const healthy = session([answers("fine")]);
    guardSession(refused.guarded, makeContext());
    guardSession(healthy.guarded, makeContext());
    const [one, other] = await Promise.all([ask(refused.guarded), ask(healthy.guarded)]);
    expect(one.words).toMatch(/^hello/);
    expect(other.words).toBe("fine");
    expect(JSON.stringify(healthy.seen[0])).toBe(JSON.stringify({ messages: HISTORY }));
  });

  it("is refused in words that nobody knows: another form is tried, the conversation is not put aside", async () => {
    const resetLeaf = vi.fn();
    const { guarded, seen } = session([fails("400 The frobnicator of this deployment is displeased.")], {
      sessionManager: { resetLeaf, appendCustomMessageEntry: vi.fn() },
    });
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/refuses every request.*provider's words: "400 The frobnicator/);
    expect(seen).toHaveLength(3);
    expect(resetLeaf).not.toHaveBeenCalled();
  });
});

describe("a note", () => {
  it("does not stand behind a sign that OpenClaw waits for, but behind the next answer in words", async () => {
    const { guarded } = session([fails(ORPHAN), answers("NO_REPLY"), answers("hello"), answers("hello again")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toBe("NO_REPLY");
    expect((await ask(guarded)).words).toMatch(/^hello\n\n\[/);
    expect((await ask(guarded)).words).toBe("hello again");
  });
});
