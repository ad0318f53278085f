/** Requests that are too large for an endpoint, or have too many pictures, in the words of providers. */
import { expect, it } from "vitest";
import type { Live } from "../../harness/openclaw/live.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { patience } from "../../harness/patience.ts";
import { isPicture, objectsIn } from "../../harness/played/read-body.ts";
import { answer, call, madeBy, result, user } from "../../harness/played/rows.ts";
import { isObject, type FrontAnswer } from "../../harness/providers/index.ts";
import { REPORTS } from "../../harness/reports/index.ts";
import { REPORTED_SIZE } from "./reports/size.ts";

const API = "openai-completions";
const ROUNDS = 30;

const ROWS = Array.from({ length: ROUNDS }, (_, at) => [
  user(`Question ${at}, heron-asked-${at}. ${"words of the question ".repeat(150)}`),
  answer(madeBy(API), [call(`call_${String(at).padStart(20, "A")}`, "read", { path: `heron-${at}.txt` })]),
  result(`call_${String(at).padStart(20, "A")}`, "read", `heron-found-${at} ${"a line of the file\n".repeat(150)}`),
  answer(madeBy(API), `Answer ${at}, heron-said-${at}. ${"words of the answer ".repeat(100)}`),
]).flat();

/** How much of the history an endpoint takes that names no other share. */
const HALF = 0.5;
const CHARACTERS_PER_TOKEN = 4;

/** Words for a request of so many characters, and how many the endpoint takes by these words. */
function phraseLimit(text: string, length: number): { words: string; most: number } {
  const tokens = Math.floor(length / CHARACTERS_PER_TOKEN);
  const parts = /\([^)]* (?:of|in) [^)]*\)/g;
  const numbers = (text.replaceAll(parts, "").match(NUMBER) ?? []).map(Number);
  const [limit, count] = [Math.min(...numbers), Math.max(...numbers)];
  const share = limit < count ? Math.max(limit / count, HALF) : HALF;
  const most = Math.floor(tokens * share);
  const words = text.replaceAll(NUMBER, (number) => {
    if (limit < count && Number(number) !== limit) return String(Math.floor((Number(number) * tokens) / count));
    return String(/by \d+ tokens/.test(text) ? tokens - most : most);
  });
  return { words, most: most * CHARACTERS_PER_TOKEN };
}

/** No code of an error, and none of a model. */
const NUMBER = /(?<![\w"-])\d{4,}(?![\w"])/g;

/** What an endpoint sends whose error OpenClaw words like this. */
function refusal(text: string): FrontAnswer {
  const [, status = "400", words = text] = /^(\d{3}) (.*)$/s.exec(text) ?? [];
  const body: unknown = words.startsWith("{") ? JSON.parse(words) : { error: { message: words } };
  return { status: Number(status), body: body as object };
}

/** What is too long here are texts, not lists. */
const TEXTS = REPORTED_SIZE.filter(([, text]) => !text.includes("array too long"));

/** A session that is too large, in each `nth` of the reported wordings. */
export function tooLarge(live: Live, nth: number): void {
  it.each(TEXTS.map(([from, text], at) => [from, at, text] as const).filter(([, at]) => at % nth === 0))(
    "a session that is too large is answered by the second message at the latest, and stays stored, in the words of %s (%i)",
    async (_from, at, text) => {
      const { provider, openclaw } = live;
      let limited: ReturnType<typeof phraseLimit> | undefined;
      provider.front(({ raw }) => {
        limited ??= phraseLimit(text, raw.length);
        return raw.length > limited.most ? refusal(limited.words) : undefined;
      });
      provider.script({ kind: "text", text: "The answer is kestrel.", times: Infinity });
      const transcript = toTranscript(ROWS, { seed: `too-large-${at}` });
      const session = { transcript, api: API, provider: `limited-${at}`, model: "gpt-4.1" } as const;
      const run = await openclaw.run({ ...session, messages: ["heron-first", "heron-second"] });
      const [first, second] = run.turns;
      // OpenClaw's own compaction goes first: where it does not know the words, only the second message is answered.
      expect(first!.answered || /too large|too long|too much|rejected|tokens/i.test(first!.text || first!.error!)).toBe(
        true,
      );
      expect(second).toMatchObject({ answered: true });
      const last = provider.requests.findLast(({ status }) => status === 200);
      expect(last?.raw).toContain("heron-second");
      const stored = JSON.stringify(await run.readTranscript());
      for (let round = 0; round < ROUNDS; round++)
        for (const mark of [`heron-asked-${round}.`, `heron-found-${round} `, `heron-said-${round}.`])
          expect(stored).toContain(mark);
    },
    patience(60_000),
  );
}

/** A session with more pictures than an endpoint takes. */
export function tooManyPictures(live: Live, release: string): void {
  // OpenClaw 2026.9 keeps to itself what a provider says of a picture's data, so that all of them are left out there.
  it.each([
    [
      "wide-in-a-turn",
      "24, some wider than they may be where there are more than 20",
      release === "2026.2.3" ? 20 : 0,
      24,
    ],
    ["many-in-a-turn", "101 where 100 may be", 100, 101],
  ] as const)(
    "OpenClaw sends as many pictures as a provider takes, and all of them elsewhere: %s, %s",
    async (id, _what, taken, all) => {
      const played = REPORTS.find((one) => one.id === id)!;
      const run = await live.openclaw.run({ ...played.session, messages: [] });
      const { provider } = live;
      const sent: number[] = [];
      for (const { message, answer: text, front, provider: other } of played.turns.slice(0, 3)) {
        provider.reset();
        provider.front(front);
        provider.script({ kind: "text", text, times: Infinity });
        const answered = await run.send(message, other === undefined ? undefined : { provider: other });
        expect(answered.text).toContain(text);
        const accepted = provider.requests.findLast(({ status }) => status === 200);
        sent.push(isObject(accepted?.body) ? picturesIn(accepted.body) : 0);
      }
      expect(sent).toEqual([taken, all, taken]);
    },
    patience(120_000),
  );
}

function picturesIn(body: Record<string, unknown>): number {
  return objectsIn(body).filter(({ value }) => isPicture(value)).length;
}
