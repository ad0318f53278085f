import { existsSync } from "node:fs";
import {
  entryOf,
  fateWithout,
  findInstallations,
  PatchError,
  readRecord,
  status,
  type AppliedPatch,
  type Fate,
  type Found,
  type PatchErrorCode,
  type RecordedProof,
  type Report,
} from "../../patching/index.ts";
import { EXIT, run, type CommonOptions } from "../run.ts";
import { isUnproved, recordedProof } from "./apply-proven.ts";
import { leadLines, pointLines } from "./show.ts";

/** The state of one installation, as `status --json` prints it. */
interface InstallationStatus extends Pick<Found, "root" | "release" | "ways" | "places"> {
  /**
   * `unknown`: the files are neither an original that the patch set knows nor its result; `refusal` gives the reason
   * why apply would refuse.
   */
  readonly state: Report["state"] | "unknown";
  readonly fate: Fate;
  readonly sentence: string;
  readonly refusal?: { readonly code: PatchErrorCode; readonly message: string };
  readonly report?: Report;
  /** `pending`: a proof is due, because one was begun and has not ended, or because the release is unknown. */
  readonly proof?: RecordedProof;
}

const APPLY = "Run: openclaw-integrity apply";
const UNPROVED = "  not proven on this machine. Run: openclaw-integrity prove";
const SENTENCES = {
  patched: "patched.",
  "half-patched": `patched in part only. ${APPLY}`,
  outdated: `patched by another version of openclaw-integrity. ${APPLY}`,
} as const;

/** `openclaw-integrity status`: exit code 0 when patched, 3 when not or only in part, 1 when the state is unknown. */
export function statusCommand(options: CommonOptions): void {
  run(options, () => {
    const record = readRecord();
    const found = findInstallations(options);
    const installations = found.map((one) => statusOf(one, record));
    // An installation that an update moved to another folder (pnpm) is not gone: it is reported at its new place.
    const reported = new Set(found.map(({ root, places }) => entryOf(record, root, places)?.root));
    const gone = record.filter(({ root }) => !reported.has(root) && !existsSync(root));
    const states = new Set(installations.map(({ state }) => state));
    const whole = states.size === 1 && states.has("patched");
    return {
      data: { installations: installations.map(withoutReport), gone },
      lines: [...installations.flatMap(linesOf), ...gone.map(goneLine)],
      exit: states.has("unknown") ? EXIT.refused : whole ? EXIT.ok : EXIT.no,
    };
  });
}

function statusOf({ root, release, ways, places }: Found, record: readonly AppliedPatch[]): InstallationStatus {
  const without = fateWithout(root, release, entryOf(record, root, places));
  try {
    const report = status(root);
    const { state } = report;
    if (state === "stock")
      return { root, release, ways, places, state, fate: without.fate, sentence: `${without.sentence} ${APPLY}` };
    const fate = state === "half-patched" ? state : "patched";
    const sentence = `OpenClaw ${release} is ${SENTENCES[state]}`;
    const proof = isUnproved(report) ? "pending" : recordedProof(report);
    return { root, release, ways, places, state, fate, sentence, report, ...(proof !== undefined && { proof }) };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { code, message } = error;
    const sentence = without.fate === "updated" ? without.sentence : `OpenClaw ${release} cannot be patched as it is.`;
    return { root, release, ways, places, state: "unknown", fate: without.fate, sentence, refusal: { code, message } };
  }
}

/** Leaves out the report, which belongs to `verify` and `apply`. */
function withoutReport({
  root,
  release,
  ways,
  state,
  fate,
  sentence,
  refusal,
  proof,
}: InstallationStatus): Omit<InstallationStatus, "report" | "places"> {
  return { root, release, ways, state, fate, sentence, ...(refusal && { refusal }), ...(proof && { proof }) };
}

function linesOf(installation: InstallationStatus): readonly string[] {
  const { root, ways, sentence, state, refusal, report, proof } = installation;
  return [
    sentence,
    `  in ${root} (${ways.join(", ")})`,
    ...leadLines(installation),
    ...(report !== undefined && state === "patched" ? pointLines(report) : []),
    ...(proof === "pending" && state === "patched" ? [UNPROVED] : []),
    ...(refusal === undefined ? [] : [`  apply would refuse it (${refusal.code}): ${refusal.message}`]),
  ];
}

function goneLine({ root, release, appliedAt }: AppliedPatch): string {
  return `OpenClaw ${release} in ${root}, patched at ${appliedAt}, is no longer there.`;
}
