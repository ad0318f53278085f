/** A process of its own: OpenClaw's session access takes its folders from the environment, once. */
import { join } from "node:path";
import { openRows } from "../openclaw/adapters/rows.ts";
import type { Session } from "../openclaw/types.ts";

/** What the parent asks for; one session is read. */
export interface StoreRequest {
  root: string;
  kind: "store" | "read";
  sessions: readonly Session[];
}

process.on("message", ({ root, kind, sessions }: StoreRequest) => {
  handle(root, kind, sessions).then(
    (value) => process.send?.({ value }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));

async function handle(root: string, kind: StoreRequest["kind"], sessions: readonly Session[]): Promise<unknown> {
  const rows = await openRows(join(root, "node_modules", "openclaw", "dist"));
  if (kind === "read") return await rows.read(sessions[0]!);
  for (const session of sessions) await rows.store(session);
  return undefined;
}
