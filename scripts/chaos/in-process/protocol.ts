import type { TurnResult } from "../../../harness/openclaw/index.ts";
import type { Session, WorkerSetup } from "../../../harness/openclaw/types.ts";

/** What the parent asks of the process that OpenClaw runs in. */
export type Ask =
  | { kind: "open"; setup: WorkerSetup; events: string }
  | { kind: "store"; sessions: Session[] }
  | { kind: "turn"; session: Session; message: string; timeoutMs: number }
  | { kind: "read"; session: Session };

export type Request = Ask & { id: number };

export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** What `turn` is answered with. */
export type { TurnResult };
