import { join } from "node:path";
import { embeddedRunnerPath } from "../../../harness/openclaw/adapters/embedded.ts";
import type { WorkerSetup } from "../../../harness/openclaw/types.ts";
import { driveCommand } from "./command.ts";
import { driveEmbedded } from "./embedded.ts";
import type { Drive, Told } from "./types.ts";

/** Takes up OpenClaw in the way that the installed release offers. */
export async function openDrive(setup: WorkerSetup, told: Told): Promise<Drive> {
  const dist = join(setup.root, "node_modules", "openclaw", "dist");
  const runner = embeddedRunnerPath(dist);
  return runner ? await driveEmbedded(dist, runner, setup, told) : await driveCommand(dist, setup, told);
}
