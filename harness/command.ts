import { fileURLToPath } from "node:url";

/** The command `openclaw-integrity` as users run it: built, which starts in a fifth of the time of its sources. */
export const MAIN = fileURLToPath(new URL("../dist/cli.mjs", import.meta.url));
