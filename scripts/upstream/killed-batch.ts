import { setTimeout as sleep } from "node:timers/promises";
import {
  startOpenClaw,
  toTranscript,
  WORKSPACE_NOTE,
  type ModelApi,
  type OpenClawDriver,
  type TranscriptEntry,
} from "../../harness/openclaw/index.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import type { Scenario, Subject } from "./proof-plan.ts";

// Reading a small file takes milliseconds; the other call takes far longer than this.
const UNTIL_FIRST_IS_DONE_MS = 5_000;
const TURN_TIMEOUT_MS = 90_000;
const SLOW_COMMAND = "sleep 60";

/**
 * The model calls two tools at once; OpenClaw is killed when the first has finished and the second has not. Returns
 * what the transcript has then, as lines of the pull request.
 */
export async function killedBatch(
  { api }: Extract<Scenario, { kind: "killed-batch" }>,
  { release, root }: Subject,
): Promise<string[]> {
  const provider = await startProvider();
  try {
    const driver = await startOpenClaw({ release, root, providerUrl: provider.url, turnTimeoutMs: TURN_TIMEOUT_MS });
    try {
      return await killInBatch(api, driver, provider);
    } finally {
      await driver.close();
    }
  } finally {
    await provider.close();
  }
}

async function killInBatch(api: ModelApi, driver: OpenClawDriver, provider: StrictProvider): Promise<string[]> {
  const run = await driver.run({ transcript: toTranscript([]), api, tools: ["read", "exec"], messages: ["hello"] });
  const sent = provider.requests.length;
  provider.script({
    kind: "tool",
    api,
    calls: [
      { name: "read", arguments: { path: WORKSPACE_NOTE.path } },
      { name: "exec", arguments: { command: SLOW_COMMAND } },
    ],
  });
  const turn = run.send("read the note and wait");
  while (provider.requests.length === sent) await sleep(50);
  await sleep(UNTIL_FIRST_IS_DONE_MS);
  driver.kill();
  await turn;
  const entries = await run.readTranscript();
  const results = entries.flatMap((entry) => resultJson(entry) ?? []);
  return [
    `calls stored: ${callsIn(entries)}; results stored: ${results.length}`,
    `the note's text is stored as a result: ${results.some((text) => text.includes(WORKSPACE_NOTE.text)) ? "yes" : "no, it is lost"}`,
  ];
}

function callsIn(entries: readonly TranscriptEntry[]): number {
  const blocks = entries.flatMap((entry) => {
    const content = entryMessage(entry)?.["content"];
    return Array.isArray(content) ? (content as unknown[]) : [];
  });
  return blocks.filter(
    (block) => typeof block === "object" && block !== null && "type" in block && block.type === "toolCall",
  ).length;
}

function resultJson(entry: TranscriptEntry): string | undefined {
  const message = entryMessage(entry);
  return message?.["role"] === "toolResult" ? JSON.stringify(message["content"]) : undefined;
}

function entryMessage(entry: TranscriptEntry): Record<string, unknown> | undefined {
  const message = entry["message"];
  return typeof message === "object" && message !== null ? (message as Record<string, unknown>) : undefined;
}
