/** `OPENCLAW_INTEGRITY=required`: OpenClaw does not run without the patch. */
import { isMainThread } from "node:worker_threads";
import { complain } from "../base/terminal.ts";

/** The exit code for a wrong configuration: OpenClaw's systemd unit does not restart a gateway that ends with it. */
const EXIT_CONFIG = 78;

/** Whether OpenClaw must not run without the patch. */
export function isRequired(): boolean {
  return /^required$/i.test(process.env["OPENCLAW_INTEGRITY"] ?? "");
}

/** Ends the process with a message on stderr; throws in a worker thread, where exiting would end the thread only. */
export function refuse(why: string): never {
  const text =
    "[openclaw-integrity] OpenClaw was not started, because OPENCLAW_INTEGRITY=required and the patch is not " +
    `possible: ${why} (OPENCLAW_INTEGRITY=off starts it without the patch.)`;
  if (!isMainThread) throw new Error(text);
  complain(text);
  process.exit(EXIT_CONFIG);
}
