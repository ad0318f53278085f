/** What all commands share: which OpenClaw, how the outcome is shown, and the exit code. */
import { findOpenclaw, PatchError } from "../patching/index.ts";

/** 0 done, 1 refused (nothing was changed), 2 wrong usage. */
export const EXIT = { ok: 0, refused: 1, usage: 2 } as const;

/** Options every command takes. */
export interface CommonOptions {
  readonly path?: string;
  readonly json?: boolean;
}

/** An outcome as data and as lines for a person. */
export interface Outcome {
  readonly data: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

/** Runs a command on the OpenClaw that the options mean, prints its outcome and sets the exit code. */
export function run({ path = ".", json = false }: CommonOptions, work: (root: string) => Outcome): void {
  try {
    const { data, lines } = work(findOpenclaw(path));
    console.log(json ? JSON.stringify({ ok: true, ...data }, null, 2) : lines.join("\n"));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (json) console.log(JSON.stringify({ ok: false, code: error.code, message: error.message }, null, 2));
    else console.error(`openclaw-integrity: refused (${error.code}): ${error.message}`);
    process.exitCode = EXIT.refused;
  }
}
