import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call } from "../../harness/messages.ts";
import { anyHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { isCaptured, loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";
import { parseRows } from "../store/catalog/parse-rows.ts";
import { repair } from "../transcript/repair.ts";
import { toConversation, examine, isSound } from "./examine.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const SESSION = { sessionId: "s" };
const stored = (messages: readonly unknown[]) => parseRows(toTranscript(messages as StoredMessage[]));
/** Rows with these messages, whatever they are. */
const makeRows = (messages: readonly unknown[]) => {
  const rows = messages.map((message, at) => ({
    type: "message",
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    message,
  }));
  return { rows: [{ type: "session", version: 3, id: "s" }, ...rows], unreadable: 0, torn: 0 };
};

/** What only a provider's own rules refuse, or OpenClaw itself makes up for: the store of these is sound. */
const SOUND_IN_THE_STORE = new Set(
  `b-context-ends-with-assistant c-crash-before-the-result c-errored-turn-sent-as-it-is d-crash-tail d-killed-with-one-of-two-finished
   g-ids-of-500-characters g-ids-that-collapse g-kimi-ids-after-switch g-kimi-ids-everywhere g-mistral-wants-nine-characters g-tool-names-with-dots
   h-aborted-before-any-content h-empty-text-before-call h-every-retry-adds-an-empty-turn
   i-assistant-after-assistant i-doubled-roles-after-model-switch i-first-message-is-a-call i-first-user-message-lost i-no-user-at-all
   i-trailing-assistant-messages i-user-after-user i-user-right-after-result
   j-call-without-its-reasoning j-empty-thinking j-gemini-call-without-thought-signature j-nine-thoughts-no-signature j-reasoning-content-not-passed-back
   j-reasoning-items-on-other-apis j-reasoning-signature-is-no-json j-reasoning-without-follower j-signatures-nobody-signed j-thinking-without-signature
   k-image-data-is-broken p-answers-without-usage k-reference-to-stripped-image l-garbage-between l-last-line-torn`.split(
    /\s+/,
  ),
);

/** Of the captured sessions those that hold more than turns that failed or are under way. */
const CAPTURED_AT_FAULT = new Set(
  `r-store03-0019 r-store08-0147 r-store09-0182 r-store10-0190 r-store10-0192 r-store13-0302 r-store13-0310 r-store13-0311
   r-store13-0353 r-store13-0357 r-store13-0369 r-store17-0408-2 r-store18-0414 r-store22-0435 r-store22-0435-2`.split(
    /\s+/,
  ),
);

describe("what a scan finds in a stored session", () => {
  it.each(loadCorpus().map(({ id, report }) => [id, report] as const))(
    "%s (%s): a fault is found wherever the store itself is at fault",
    (id) => {
      const rows = parseRows(readFileSync(transcriptPath(id), "utf8"));
      if (isCaptured(id)) expect(isSound(examine(rows, { ...SESSION, kind: "file" }))).toBe(!CAPTURED_AT_FAULT.has(id));
      else expect(isSound(examine(rows, SESSION))).toBe(SOUND_IN_THE_STORE.has(id));
    },
  );

  it("nothing in healthy sessions of any length", () => {
    for (const turns of [1, 20, 200]) {
      const history = healthyFrom(turns, turns);
      expect(examine(stored(history), SESSION)).toEqual({
        messages: history.length,
        violations: [],
        openCalls: 0,
        leftOut: 0,
        entries: [],
        unreadable: 0,
        torn: 0,
      });
    }
  });

  it("nothing any more once the rules have repaired it, whatever it was", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { messages } = toConversation(makeRows(history), SESSION);
        const repaired = repair(messages, { spelling: "openclaw" }).messages;
        // A repaired message need not be in the form yet that OpenClaw's reader asks for.
        const { rows } = toConversation(makeRows(repaired), SESSION);
        expect(examine({ rows, unreadable: 0, torn: 0 }, SESSION)).toMatchObject({ violations: [], entries: [] });
      }),
      { numRuns: RUNS },
    );
  });

  it("calls of a turn that is under way are open, and no fault; behind a further message they are one", () => {
    const underWay = [
      user("go"),
      { ...assistant(call("toolu_1"), "toolUse"), content: [call("toolu_1"), call("toolu_2")] },
      result("toolu_1", "done"),
    ];
    expect(examine(stored(underWay), SESSION)).toMatchObject({ violations: [], openCalls: 1 });
    expect(examine(stored([...underWay, user("well?")]), SESSION)).toMatchObject({
      violations: [{ kind: "missing_tool_result" }],
      openCalls: 0,
    });
  });

  it("a turn that failed is left out, but not when a result of its call is stored", () => {
    const failed = [user("go"), assistant(call("toolu_1"), "error")];
    expect(examine(stored([...failed, user("again"), says("yes")]), SESSION)).toMatchObject({
      violations: [],
      leftOut: 1,
    });
    expect(examine(stored([...failed, result("toolu_1", "done"), user("again")]), SESSION)).toMatchObject({
      violations: [{ kind: "skipped_tool_call" }],
      leftOut: 0,
    });
  });

  it("looks at what a model is sent, not at branches that were left or what was compacted", () => {
    const rows = parseRows(
      toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing"), user("and?"), says("no")]),
    ).rows as Record<string, unknown>[];
    expect(examine({ rows, unreadable: 0, torn: 0 }, SESSION).violations).toHaveLength(1);
    const second = rows[2];
    const elsewhere = { type: "message", id: "elsewhere", parentId: second!["id"], message: user("something else") };
    expect(examine({ rows: [...rows, elsewhere], unreadable: 0, torn: 0 }, SESSION)).toMatchObject({
      messages: 3,
      violations: [],
    });
    const compaction = {
      type: "compaction",
      id: "summary",
      parentId: rows.at(-1)!["id"],
      firstKeptEntryId: rows.at(-2)!["id"],
      summary: "they talked",
    };
    expect(examine({ rows: [...rows, compaction], unreadable: 0, torn: 0 }, SESSION)).toMatchObject({
      messages: 2,
      violations: [],
    });
  });
});

it("a file of an old format is sound: the OpenClaw that keeps files updates it, and the one with a database refuses it", () => {
  const { rows } = stored([user("go"), says("yes")]);
  const old = { rows: [{ ...(rows[0] as object), version: 2 }, ...rows.slice(1)], unreadable: 0, torn: 0 };
  expect(examine(old, { ...SESSION, kind: "file" }).entries).toEqual([]);
  expect(examine(old, { ...SESSION, kind: "rows" }).entries).toEqual(["old_header"]);
});

it("an answer behind a note alone is sound: an agent that went back to the beginning leaves that", () => {
  const answer = { type: "message", id: "a", parentId: "n", message: assistant({ type: "text", text: "done" }) };
  const note = {
    type: "custom_message",
    id: "n",
    parentId: null,
    customType: "openclaw-integrity:carryover",
    content: "a note",
    display: true,
  };
  const rows = (...entries: object[]) => ({
    rows: [{ type: "session", version: 3, id: "s" }, ...entries],
    unreadable: 0,
    torn: 0,
  });
  expect(isSound(examine(rows(note, answer), SESSION))).toBe(true);
});
