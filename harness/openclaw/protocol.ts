import type { Adapter, Session, WorkerSetup } from "./types.ts";

/** What the driver asks of the worker, before it gets its number. */
export type Ask =
  | { kind: "open"; setup: WorkerSetup }
  | { kind: "store"; session: Session }
  | { kind: "turn"; session: Session; message: string; timeoutMs: number }
  | { kind: "read"; session: Session };

export type Request = Ask & { id: number };

/** What the worker says to a request. */
export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** What `open` is answered with. */
export type Opened = Pick<Adapter, "name" | "apis">;
