/**
 * The process that a channel's part of OpenClaw runs in: it gives each message to the function that every channel
 * calls.
 */
import { randomUUID } from "node:crypto";
import { importChunk } from "../../harness/openclaw/adapters/chunk.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import type { Session } from "../../harness/openclaw/types.ts";

/** What the parent asks for. */
export type ChatRequest =
  | { kind: "store"; dist: string; session: Session }
  | { kind: "message"; dist: string; session: Session; text: string }
  | { kind: "stored"; dist: string; session: Session };

interface Replies {
  getReplyFromConfig(context: Record<string, unknown>): Promise<Reply | Reply[] | undefined>;
}

interface Reply {
  text?: string;
}

async function handle(request: ChatRequest): Promise<unknown> {
  const { dist, session } = request;
  if (request.kind === "store") return await (await openRows(dist)).store(session);
  if (request.kind === "stored") return await (await openRows(dist)).read(session);
  const { getReplyFromConfig } = await importChunk<Replies>(dist, /^reply\.runtime-.*\.mjs$/, ["getReplyFromConfig"]);
  const sender = session.key.split(":").at(-1);
  const reply = await getReplyFromConfig({
    Body: request.text,
    From: `telegram:${sender}`,
    To: `telegram:${sender}`,
    SessionKey: session.key,
    Provider: "telegram",
    Surface: "telegram",
    ChatType: "direct",
    MessageSid: randomUUID(),
    CommandAuthorized: true,
    Timestamp: Date.now(),
  });
  return [reply ?? []].flat().map(({ text = "" }) => text);
}

process.on("message", (request: ChatRequest) => {
  handle(request).then(
    (value) => process.send?.({ value }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
