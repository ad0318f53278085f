import { join } from "node:path";
import { openRows } from "../openclaw/adapters/rows.ts";
import type { Session } from "../openclaw/types.ts";

// A process of its own: OpenClaw's session access takes its folders from the environment, once.

/** What the parent asks for. */
export interface StoreRequest {
  root: string;
  kind: "store" | "read";
  session: Session;
}

process.on("message", ({ root, kind, session }: StoreRequest) => {
  handle(root, kind, session).then(
    (value) => process.send?.({ value }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));

async function handle(root: string, kind: StoreRequest["kind"], session: Session): Promise<unknown> {
  const rows = await openRows(join(root, "node_modules", "openclaw", "dist"));
  return kind === "store" ? await rows.store(session) : await rows.read(session);
}
