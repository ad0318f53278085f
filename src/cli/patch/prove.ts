import { findInstallation, patchState, rememberProof } from "../../patching/index.ts";
import type { ProofReport, ProveOptions } from "../../prove/index.ts";
import { waiting } from "../waiting.ts";
import { EXIT, runAsync, type CommonOptions, type Outcome } from "../run.ts";

/** `openclaw-integrity prove` */
export async function proveCommand(options: CommonOptions): Promise<void> {
  await runAsync(options, async () => {
    const { root } = findInstallation(options);
    const { report: found } = await runProof(root);
    const isProven = found.verdict === "proven";
    const { fate, sentence, todo = "" } = patchState(root);
    // What an unpatched OpenClaw fails at needs no report to anybody.
    const report =
      found.verdict === "patch" && fate !== "patched" ? { ...found, todo: `${sentence} ${todo}`.trimEnd() } : found;
    const unrecorded = isProven && fate === "patched" ? rememberProof(root, found) : undefined;
    return {
      data: { ...proofData(report), fate },
      ...shown(await formatProof(report), isProven, options),
      ...(unrecorded !== undefined && { warnings: [unrecorded] }),
      exit: isProven ? EXIT.ok : EXIT.refused,
    };
  });
}

/** Runs the proof, whose code is loaded only now, and formats its report. */
export async function runProof(
  root: string,
  options: ProveOptions = {},
): Promise<{ readonly report: ProofReport; readonly lines: readonly string[] }> {
  const { prove } = await import("../../prove/index.ts");
  const report = await prove(root, { onProgress: waiting, ...options });
  return { report, lines: await formatProof(report) };
}

async function formatProof(report: ProofReport): Promise<readonly string[]> {
  const { proofLines } = await import("../../prove/index.ts");
  return proofLines(report);
}

/** The report for programs: with the code and message that every refusal has when nothing was proven. */
export function proofData(report: ProofReport): Readonly<Record<string, unknown>> {
  const { verdict, sentence, todo } = report;
  const refusal = { code: refusalCode(report), message: todo === undefined ? sentence : `${sentence}. ${todo}` };
  return { ...report, ...(verdict === "proven" ? {} : refusal) };
}

/** The code of a refusal for want of a proof. */
export function refusalCode({ verdict }: ProofReport): string {
  return verdict === "patch" ? "not-proven" : "could-not-run";
}

/** What is not as it should be is shown with --quiet too. */
function shown(
  lines: readonly string[],
  isGood: boolean,
  { quiet = false }: CommonOptions,
): Pick<Outcome, "lines" | "warnings"> {
  return quiet && !isGood ? { lines: [], warnings: lines } : { lines };
}
