import { visible } from "./visible.ts";

/** Writes one line to the console of a foreign program: OpenClaw logs it and shows it in its terminal. */
export function consoleLine(text: string): void {
  // oxlint-disable-next-line no-console -- the one place of the guard, the plugin and the libraries
  console.warn(visible(text));
}
