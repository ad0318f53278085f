import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { toTranscript, type SessionInput } from "../../harness/openclaw/index.ts";
import { isEntry, parseLines } from "../../harness/openclaw/transcript.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { Chat } from "./chat.ts";
import type { Scenario } from "./proof-plan.ts";

const MESSAGES = ["first message", "second message"] as const;

/** Two chat messages to a stored session of the corpus. */
export async function chatCase(
  { case: id, api }: Extract<Scenario, { kind: "chat" }>,
  root: string,
): Promise<string[]> {
  const transcript = readFileSync(transcriptPath(id), "utf8");
  return await withChat(root, { transcript, api }, async (chat, provider) => {
    const lines: string[] = [];
    for (const message of MESSAGES) lines.push(await sent(chat, provider, message));
    const stored = new Set((await chat.stored()).map((entry) => entry["id"]));
    const before = entryIds(transcript);
    return [
      ...lines,
      `rows of the stored session that are still there: ${before.filter((row) => stored.has(row)).length} of ${before.length}`,
    ];
  });
}

/** A chat message that is answered, and one that the provider refuses whatever the history is. */
export async function refusedInChat(
  { api, fault }: Extract<Scenario, { kind: "refused-in-chat" }>,
  root: string,
): Promise<string[]> {
  return await withChat(root, { transcript: toTranscript([]), api }, async (chat, provider) => {
    await chat.send(MESSAGES[0]);
    provider.script({ kind: "fault", fault, api });
    return [await sent(chat, provider, MESSAGES[1])];
  });
}

async function sent(chat: Chat, provider: StrictProvider, message: string): Promise<string> {
  const from = provider.requests.length;
  const shown = await chat.send(message);
  const answers = provider.requests
    .slice(from)
    .map(({ status, error }) => (error === undefined ? `${status}` : `${status} ${error}`));
  return `${message}: provider answers ${answers.join(" | ") || "nothing, it was not asked"}; shown to the user: ${shown}`;
}

async function withChat<T>(
  root: string,
  input: SessionInput,
  use: (chat: Chat, provider: StrictProvider) => Promise<T>,
): Promise<T> {
  const provider = await startProvider();
  try {
    const id = randomUUID();
    const chat = await Chat.open(root, { ...input, id, key: `agent:main:telegram:dm:${id.slice(0, 8)}` }, provider.url);
    try {
      return await use(chat, provider);
    } finally {
      await chat.close();
    }
  } finally {
    await provider.close();
  }
}

/** The header's id is the session's own. */
function entryIds(transcript: string): unknown[] {
  const rows = parseLines(transcript).filter(isEntry);
  return rows.filter(({ type }) => type !== "session").map(({ id }) => id);
}
