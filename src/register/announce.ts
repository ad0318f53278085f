/**
 * What the hook says, on stderr: once in a gateway that runs patched, and once where OpenClaw runs without the patch.
 */
import { isMainThread } from "node:worker_threads";
import { isGateway } from "../store/openclaw/gateway-argv.ts";
import { complain } from "../base/terminal.ts";

/** Set in the environment when a refusal was said, so that child processes do not repeat it. */
const SAID = "OPENCLAW_INTEGRITY_SAID";

/** Says that a gateway runs patched. */
export function announce(text: string): void {
  if (isMainThread && isGateway()) write(text);
}

/** Says that something is not as it should be, once in this process and its children. */
export function warn(text: string): void {
  if (!isMainThread || process.env[SAID] === text) return;
  process.env[SAID] = text;
  write(text);
}

function write(text: string): void {
  complain(`[openclaw-integrity] ${text}`);
}
