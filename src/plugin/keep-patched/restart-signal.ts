/** The signals by which OpenClaw restarts: SIGUSR2 since 2026.9, SIGUSR1 before. */
const SIGNALS = ["SIGUSR2", "SIGUSR1"] as const;
export type RestartSignal = (typeof SIGNALS)[number];

/**
 * Returns the signal for which OpenClaw has a handler in this process. A signal without a handler must not be sent:
 * SIGUSR1 opens Node's debugger, SIGUSR2 ends the process.
 */
export function restartSignal(
  listeners: (signal: RestartSignal) => number = (signal) => process.listenerCount(signal),
): RestartSignal | undefined {
  return SIGNALS.find((signal) => listeners(signal) > 0);
}
