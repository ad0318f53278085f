import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The process that the chat side of OpenClaw 2026.2.3 runs in: each message goes to the function that every channel
// calls.

/** One message of a chat. */
export interface ChatMessage {
  readonly root: string;
  readonly key: string;
  readonly text: string;
}

interface Replies {
  getReplyFromConfig(context: Record<string, unknown>): Promise<Reply | Reply[] | undefined>;
}

interface Reply {
  text?: string;
}

async function answer({ root, key, text }: ChatMessage): Promise<string> {
  const { getReplyFromConfig } = (await import(pathToFileURL(join(root, "dist", "index.js")).href)) as Replies;
  const sender = `telegram:${key.split(":").at(-1)}`;
  const reply = await getReplyFromConfig({
    Body: text,
    From: sender,
    To: sender,
    SessionKey: key,
    Provider: "telegram",
    Surface: "telegram",
    ChatType: "direct",
    MessageSid: key,
    CommandAuthorized: true,
    Timestamp: Date.now(),
  });
  return [reply ?? []]
    .flat()
    .map(({ text: shown = "" }) => shown)
    .join("\n");
}

// 2026.2.3 also leaves the error of a failed program behind in its queue, where nobody takes it unless another run
// waits there.
process.on("unhandledRejection", () => undefined);
process.on("message", (message: ChatMessage) => {
  answer(message).then(
    (value) => process.send?.({ value }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
