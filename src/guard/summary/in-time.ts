import { isPositive } from "../../transcript/json/json.ts";

/** How much sooner than OpenClaw's timer the guard acts: an extract has to be made and stored in that time. */
const AHEAD = { share: 0.05, leastMs: 1000 } as const;

/** What waits for a summary. */
interface Waiting {
  /** When the last request for a summary began, of the clock that `performance.now` reads. */
  readonly lastRequestAt: number;
  giveUp(): void;
}

/**
 * Has the wait for a summary given up shortly before OpenClaw's own timer of `limitMs` ends the turn with it. The time
 * counts from the last request on. Returns what ends that; does nothing where OpenClaw has no timer.
 */
export function endInTime(waiting: Waiting, limitMs: unknown): () => void {
  if (!isPositive(limitMs)) return () => undefined;
  const patience = limitMs - Math.max(limitMs * AHEAD.share, AHEAD.leastMs);
  const began = performance.now();
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = patience - (performance.now() - Math.max(began, waiting.lastRequestAt));
    if (left <= 0) return waiting.giveUp();
    timer = setTimeout(wait, left);
  };
  timer = setTimeout(wait, Math.max(patience, 0));
  return () => clearTimeout(timer);
}
