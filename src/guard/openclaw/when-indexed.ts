import { isRebuilding } from "../../store/openclaw/when-indexed.ts";
import { logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/** How long a read waits for the index of the session, and the pause between two tries. */
const TIMEOUT_MS = 10_000;
const PAUSE_MS = 200;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/**
 * Wraps a transcript read of OpenClaw 2026.9.6 and later: when the session's index is out of date, calls `rebuild` once
 * and reads again for up to ten seconds, instead of failing the turn. Without the rebuild, an index that rows without
 * ids have left out of date stays so for good. Other errors are thrown at once.
 */
export function whenIndexed<F extends (...args: never[]) => Promise<unknown>>(
  read: F,
  signal: AbortSignal | undefined,
  rebuild: () => void,
): F {
  if (!isEnabled()) return read;
  const readWithRetries = async (...args: never[]): Promise<unknown> => {
    const deadline = Date.now() + TIMEOUT_MS;
    for (let tries = 0; ; tries++) {
      try {
        return await read(...args);
      } catch (error) {
        if (!isRebuilding(error) || Date.now() >= deadline || signal?.aborted) throw error;
        if (tries === 0) {
          logLine("session load: the index of the session is rebuilt");
          rebuild();
        }
        await pause();
      }
    }
  };
  return readWithRetries as F;
}

/**
 * Waits until a session can be read in OpenClaw 2026.8.1 to 2026.9.5, where a read starts the rebuild of an outdated
 * index and still fails the turn. `read` is a small read of the same session; it is repeated until it succeeds, fails
 * for another reason, or ten seconds have passed. Never throws: OpenClaw's own read reports the error then.
 */
export async function whenReadable(read: () => unknown): Promise<void> {
  if (!isEnabled()) return;
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 0; ; tries++) {
    try {
      read();
      return;
    } catch (error) {
      if (!isRebuilding(error) || Date.now() >= deadline) return;
      if (tries === 0) logLine("session load: the index of the session is being rebuilt, the turn waits");
      await pause();
    }
  }
}
