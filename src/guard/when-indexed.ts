import { logLine } from "./log.ts";
import { isEnabled } from "./switch.ts";

/** How long a read waits for the index of the session, and how often it looks. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 200;

/**
 * A transcript read of OpenClaw 2026.9 that, when the session's index is out of date, has it rebuilt and reads again instead of
 * failing the turn (rows without ids leave it so for good). Other errors and a sound index are not touched.
 */
export function whenIndexed<F extends (...args: never[]) => Promise<unknown>>(read: F, signal: AbortSignal | undefined, rebuild: () => void): F {
  if (!isEnabled()) return read;
  const patient = async (...args: never[]): Promise<unknown> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (let tries = 0; ; tries++) {
      try {
        return await read(...args);
      } catch (error) {
        const stale = error instanceof Error && error.name === "SessionTranscriptProjectionUnavailableError";
        if (!stale || Date.now() >= deadline || signal?.aborted) throw error;
        if (tries === 0) {
          logLine("session load: the index of the session is rebuilt");
          rebuild();
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  };
  return patient as F;
}
