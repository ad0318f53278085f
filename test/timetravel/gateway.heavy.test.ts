import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { MAY_TRAVEL, makeMessages, PLACE, tobe, TOOLS, WORDS, wordsIn } from "../../harness/openclaw/travelling.ts";
import { LONG as LONG_TEXT, tooLongAfter, wordy } from "./too-long.ts";

const LONG = "agent:main:long";
const WORDY = "agent:main:wordy";
const CONTROL_KEY = "agent:main:control";
const STEERED = "agent:main:steered";

/**
 * Three turns and thirty more: a move to the beginning leaves a list that is shorter than the one OpenClaw began the
 * turn with.
 */
function longTranscript(): string {
  const answer = makeMessages("anthropic-messages").at(-1)!;
  const more = Array.from({ length: 30 }, (_, nth) => [
    { role: "user", content: [{ type: "text", text: `more-question-${nth}-` }] },
    { ...answer, content: [{ type: "text", text: `more-answer-${nth}-` }] },
  ]).flat();
  return toTranscript([...makeMessages("anthropic-messages"), ...more]);
}

describe.each(BASE_RELEASES)("a move in a real gateway of OpenClaw %s", (release) => {
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    const root = join(releasesFolder(), release, "patched");
    // What a person says while the agent works goes into its run.
    // A search in front of a plugin's tools, as later releases have by default, must not hide these.
    const tools = { ...(release === "2026.9.6" && { toolSearch: true }) };
    const settings = {
      ...pluginSettings(join(root, "node_modules", "openclaw", "dist"), MAY_TRAVEL),
      messages: { queue: { mode: "steer" } },
      tools,
    };
    gateway = await openGateway({ root, release, providerUrl: provider.url, settings, tools: TOOLS });
    const short = toTranscript(makeMessages("anthropic-messages"));
    await gateway.seedAll([
      [LONG, longTranscript()],
      [STEERED, short],
      [WORDY, wordy(short)],
      [CONTROL_KEY, wordy(short)],
    ]);
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });
  beforeEach(() => provider.reset());

  it("far back in a long conversation: the client is given the answer behind the move, once, and the next turn goes on there", async () => {
    provider.script(
      { kind: "tool", text: "let me see", calls: [tobe(PLACE.firstAnswer, "short-note")] },
      { kind: "text", text: "the answer behind the move, in several pieces", pieces: 6, pace: 30 },
    );
    const reply = await gateway.send(LONG, "question-long");
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200]);
    const offered = (provider.requests[0]!.body as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(["tobe", "timeline"]));
    expect(wordsIn(provider.requests[1], [...WORDS, "more-question", "short-note", "question-long"])).toEqual([
      ...WORDS.slice(0, 4),
      "short-note",
      "question-long",
    ]);
    expect(reply.finalText).toContain("the answer behind the move, in several pieces");
    expect(reply.finalText.split("behind the move").length).toBe(2);
    expect([...reply.deltas, ...reply.agentTexts].filter((text) => text.split("behind the move").length > 2)).toEqual(
      [],
    );
    // The person is told in one line, and sees what they have asked, though it lies on the branch that was left.
    expect(reply.finalText).toMatch(
      /in several pieces\s+\[The agent went back in this conversation, 32 turns back, [^\n]*\]$/,
    );
    const shown = async (): Promise<string[]> =>
      (await gateway.history(LONG)).flatMap(({ role, content }) =>
        role === "user" || role === "assistant" ? [`${role}: ${JSON.stringify(content)}`] : [],
      );
    const seen = await shown();
    expect(seen.filter((text) => /^user:.*question-long/.test(text))).toHaveLength(1);
    expect(seen.findIndex((text) => /^user:.*question-long/.test(text))).toBeLessThan(
      seen.findIndex((text) => text.includes("the answer behind the move")),
    );
    await gateway.send(LONG, "question-next");
    const asked = await shown();
    for (const question of ["question-long", "question-next"])
      expect(asked.filter((text) => text.startsWith("user:") && text.includes(question))).toHaveLength(1);
    expect(provider.requests.at(-1)!.raw.split("question-long").length).toBe(2);
    expect(
      wordsIn(provider.requests.at(-1), ["more-question", "short-note", "the answer behind the move", "question-next"]),
    ).toEqual(["short-note", "the answer behind the move", "question-next"]);
  });

  it("what a person says while the batch is carried out is in the new branch, once, and in front of the model at once", async () => {
    provider.script({
      kind: "tool",
      calls: [
        tobe(PLACE.firstAnswer, "short-note"),
        { name: "exec", arguments: { command: "sleep 3; echo slow-done" } },
      ],
    });
    const first = gateway.send(STEERED, "question-four");
    while (provider.requests.length === 0) await sleep(50);
    await sleep(1_000);
    const second = gateway.send(STEERED, "said-meanwhile");
    await Promise.all([first, second]);
    const last = provider.requests.at(-1)!;
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true);
    expect(wordsIn(last, [...WORDS, "short-note", "question-four", "said-meanwhile"])).toEqual([
      ...WORDS.slice(0, 4),
      "short-note",
      "question-four",
      "said-meanwhile",
    ]);
    expect(last.raw.split("said-meanwhile").length).toBe(2);
    expect(wordsIn(provider.requests[1], ["said-meanwhile"])).toEqual(["said-meanwhile"]);
    const rows = (await gateway.stored(STEERED)).map((row) => JSON.stringify(row));
    expect(rows.filter((row) => row.includes('"openclaw-integrity:carryover"')).length).toBe(1);
    await gateway.send(STEERED, "question-five");
    expect(wordsIn(provider.requests.at(-1), ["short-note", "said-meanwhile", "question-five"])).toEqual([
      "short-note",
      "said-meanwhile",
      "question-five",
    ]);
    expect(provider.requests.at(-1)!.raw.split("said-meanwhile").length).toBe(2);
  });

  it.each([
    ["without a move (control)", CONTROL_KEY, { name: "exec", arguments: { command: "echo by-hand" } }, []],
    ["behind a move", WORDY, tobe(PLACE.thirdAnswer, "short-note"), ["short-note"]],
  ] as const)(
    "the context overflows %s: the client is given an answer, and the next turn has the question",
    async (_, key, call, note) => {
      const isAfter = (text: string): boolean =>
        note.length === 0
          ? text.includes("echo by-hand")
          : text.includes("short-note") && !text.includes("carryover_message");
      provider.script({ kind: "tool", calls: [call] });
      provider.enforce(tooLongAfter(isAfter));
      const reply = await gateway.send(key, "question-overflow");
      expect(provider.requests.some(({ status }) => status === 400)).toBe(true);
      const last = provider.requests.at(-1)!;
      expect(last.status).toBe(200);
      expect(last.raw).not.toContain(`question-one${LONG_TEXT}`);
      expect(wordsIn(last, [...note, "question-overflow"])).toEqual([...note, "question-overflow"]);
      // Behind a compaction 2026.2.3 gives its client the text in events only, with a move and without.
      expect([...reply.agentTexts, reply.finalText].join("\n")).toContain("ok");
      provider.reset();
      await gateway.send(key, "question-behind");
      expect(provider.requests.map(({ status }) => status)).toEqual([200]);
      expect(wordsIn(provider.requests[0], [...note, "question-overflow", "question-behind"])).toEqual([
        ...note,
        "question-overflow",
        "question-behind",
      ]);
    },
  );

  it("a picture goes along, also where OpenClaw stores it as a file beside the row", async () => {
    provider.script({ kind: "tool", calls: [tobe("turn:-1", "short-note")] }, { kind: "text", text: "a pixel" });
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await gateway.request("chat.send", {
      sessionKey: LONG,
      message: "question-picture",
      idempotencyKey: "picture",
      attachments: [{ type: "image", mimeType: "image/png", fileName: "a.png", content: data }],
    });
    await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBe(2);
    const [, moved] = provider.requests;
    expect(wordsIn(moved, ["short-note", "question-picture", data])).toEqual(["short-note", "question-picture", data]);
  });
});
