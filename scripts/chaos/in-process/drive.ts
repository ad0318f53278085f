import { join } from "node:path";
import { embeddedRunnerPath } from "../../../harness/openclaw/adapters/embedded.ts";
import type { TranscriptEntry } from "../../../harness/openclaw/index.ts";
import type { RawTurn, Session, WorkerSetup } from "../../../harness/openclaw/types.ts";
import { driveCommand } from "./command.ts";
import { driveEmbedded } from "./embedded.ts";

/** What OpenClaw says of a run while it goes on. */
export interface AgentEvent {
  stream: string;
  data?: { phase?: unknown; toolCallId?: unknown };
}

/** Gets each of them, before OpenClaw goes on. */
export type Told = (event: AgentEvent) => void;

/**
 * OpenClaw in this process, several conversations at once. The adapters of harness/openclaw do one thing after the other
 * and hear nothing of the run, which is what most tests want.
 */
export interface Drive {
  store(session: Session): Promise<void>;
  send(session: Session, message: string, timeoutMs: number, signal: AbortSignal): Promise<RawTurn>;
  read(session: Session): Promise<TranscriptEntry[]>;
}

/** Takes up OpenClaw in the way that the installed release offers. */
export async function openDrive(setup: WorkerSetup, told: Told): Promise<Drive> {
  const dist = join(setup.root, "node_modules", "openclaw", "dist");
  const runner = embeddedRunnerPath(dist);
  return runner ? await driveEmbedded(dist, runner, setup, told) : await driveCommand(dist, setup, told);
}
