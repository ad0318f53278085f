/** What a command waits for, on standard error, so that nobody takes a silence of many seconds for a standstill. */
import { complain } from "../base/terminal.ts";

let isTold = false;

/** Whether this command tells what it waits for: neither with --quiet nor with --json. */
export function tellWaits({
  json = false,
  quiet = false,
}: {
  readonly json?: boolean;
  readonly quiet?: boolean;
}): void {
  isTold = !json && !quiet;
}

/** Tells what may take longer than a few seconds and begins now. */
export function waiting(what: string): void {
  if (isTold) complain(`openclaw-integrity: ${what} ...`);
}
