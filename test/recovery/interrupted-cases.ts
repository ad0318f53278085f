/** What a model is told of commands that ran when OpenClaw was killed. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { quickCall, quickResult, slowCall, traceLines } from "../../harness/openclaw/traced-calls.ts";
import { isObject } from "../../src/transcript/json/json.ts";
import type { RecordedRequest } from "../../harness/providers/index.ts";
import { plainSession, type Live } from "../../harness/openclaw/live.ts";

interface Block {
  type: string;
  tool_use_id?: string;
  content?: unknown;
}

/** What a request to Anthropic's API says of each tool call, in the order of the results. */
function resultsIn({ body }: RecordedRequest): string[] {
  const { messages } = body as { messages: { content: string | Block[] }[] };
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content));
}

const INTERRUPTED = expect.stringContaining("interrupted while it was being carried out");
const NOT_STARTED = expect.stringContaining("was not started");

/** Kills the OpenClaw, which the driver starts again. */
export function interrupted(live: Live, release: string): void {
  it("killed with kill -9 while the second of three commands runs, keeps the finished result, tells which call may have run and which did not, and sends the same bytes again", async () => {
    const { openclaw, provider } = live;
    const workspace = join(openclaw.stateDir, "..", "workspace");
    const run = await openclaw.run({ ...plainSession("anthropic-messages"), tools: ["read", "exec"], messages: [] });
    provider.script({ kind: "tool", calls: [quickCall("one"), slowCall("two", 5), slowCall("three", 5)] });
    let ended: unknown;
    const turn = run.send("run three commands").then(
      (said) => (ended = said),
      (error: unknown) => error,
    );
    while (traceLines(workspace, "two").length === 0) {
      expect(ended, "the turn is over before its second command began").toBeUndefined();
      await sleep(20);
    }
    // The first command beside it needs a moment to come back.
    await sleep(1_500);
    openclaw.kill();
    await turn;
    const sent: string[] = [];
    for (const message of ["what came of it?", "and again?"]) {
      provider.reset();
      expect(await run.send(message)).toMatchObject({ answered: true });
      const request = provider.requests[0]!;
      // 2026.2.3 runs calls one after the other, 2026.9.6 all at once.
      const third = release === "2026.2.3" ? NOT_STARTED : INTERRUPTED;
      expect(resultsIn(request)).toEqual([expect.stringContaining(quickResult("one")), INTERRUPTED, third]);
      sent.push(JSON.stringify([(request.body as { messages: unknown[] }).messages.slice(0, 4), resultsIn(request)]));
    }
    expect(sent[1]).toBe(sent[0]);
    // Who reads the store without the patch finds a result behind each call, too.
    const entries = await run.readTranscript();
    const results = entries.filter(({ message }) => isObject(message) && message.role === "toolResult");
    expect(results.map(({ message }) => JSON.stringify(message))).toEqual([
      expect.stringContaining(quickResult("one")),
      INTERRUPTED,
      release === "2026.2.3" ? NOT_STARTED : INTERRUPTED,
    ]);
    expect(traceLines(workspace, "three").includes("start")).toBe(release !== "2026.2.3");
  });
}
