import { visible } from "./visible.ts";

/** A line on the console of a program that is not ours: OpenClaw's log takes it up, and its terminal shows it. */
export function consoleLine(text: string): void {
  // oxlint-disable-next-line no-console -- the one place of the guard, the plugin and the libraries
  console.warn(visible(text));
}
