/** What the hook says, on stderr: once in a gateway that runs patched, and once where OpenClaw runs without the patch. */
import { isMainThread } from "node:worker_threads";
import { complain } from "../base/terminal.ts";

/** Set in the environment when a refusal was said, so that child processes do not repeat it. */
const SAID = "OPENCLAW_INTEGRITY_SAID";

/** Whether this process was started as a gateway, by its command line: `openclaw … gateway [run] …`. */
export function isGateway(argv: readonly string[] = process.argv): boolean {
  const at = argv.indexOf("gateway", 2);
  // Before the command there are only options and their values.
  if (at < 0 || argv.slice(2, at).some((word, place) => !isOption(word) && !isOption(argv[place + 1]))) return false;
  const next = argv[at + 1];
  return next === undefined || next === "run" || (next.startsWith("-") && next !== "--help" && next !== "-h");
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith("-") ?? false;
}

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
