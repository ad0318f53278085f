import { existsSync } from "node:fs";
import {
  findEntry,
  fateWhenUnpatched,
  findInstallations,
  findKept,
  PatchError,
  readRecord,
  recordedProof,
  status,
  type AppliedPatch,
  type Fate,
  type Found,
  type PatchErrorCode,
  type RecordedProof,
  type Report,
} from "../../patching/index.ts";
import { isRegistered, findSetup, startsRegistered, type Setup } from "../../register/index.ts";
import { type Line, Toned, toned } from "../../base/terminal.ts";
import { gatewaySentences, gatewayStep, type LearnedRoute, readRoutes, routeLines } from "../../doctor/index.ts";
import { stateDirectory } from "../../store/index.ts";
import { keepsPatched } from "../plugin/keeps-patched.ts";
import { leftLines } from "../rehearsal-place.ts";
import { wasCutOff } from "../setup-claim.ts";
import { EXIT, run, type CommonOptions } from "../run.ts";
import { isUnproved } from "./apply-proven.ts";
import { setupLines } from "../register/setup-lines.ts";
import { leadLines, pointLines } from "./show.ts";
import { gatewaysAtHand } from "../gateways.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** The state of one installation; `status --json` prints it without `report` and `places`. */
export interface InstallationStatus extends Pick<Found, "root" | "release" | "ways" | "places"> {
  /**
   * `unknown`: the files are neither an original that the patch set knows nor its result; `refusal` gives the reason
   * why apply would refuse.
   */
  readonly state: Report["state"] | "unknown";
  readonly fate: Fate;
  readonly sentence: string;
  readonly refusal?: { readonly code: PatchErrorCode; readonly message: string };
  readonly report?: Report;
  /** `pending`: a proof is due: one was begun and has not proved the patch, or the release is unknown. */
  readonly proof?: RecordedProof;
  /** Whether it is patched when it is started as usual: by its service, in this shell, or with patched files. */
  readonly startsPatched: boolean;
  /** How it is patched: its files, or in memory when it is started. */
  readonly way?: "files" | "register";
  /** The traces of the hook that patches it in memory. */
  readonly register?: Setup;
}

const SENTENCES = {
  patched: "patched.",
  "half-patched": "patched in part only.",
  outdated: "patched by another version of openclaw-integrity.",
} as const;

/** Routes that are shown. */
const MAX_ROUTES = 10;

const IN_MEMORY = "patched in memory when it is started; its files are not changed.";

/**
 * `openclaw-integrity status`: exit code 0 when patched, 3 when not or only in part (or when a gateway runs patched
 * from memory, and the next start is not), 1 when the state is unknown.
 */
export function statusCommand(options: CommonOptions): void {
  run(options, () => {
    const record = readRecord();
    const found = findInstallations(options);
    const several = found.length > 1;
    const installations = found.map((one) => examineInstallation(one, record, several ? one.root : undefined));
    // An installation that an update moved to another folder (pnpm) is not gone: it is reported at its new place.
    const reported = new Set(found.map(({ root, places }) => findEntry(record, root, places)?.root));
    const gone = record.filter(({ root }) => !reported.has(root) && !existsSync(root));
    const routes = readRoutes(stateDirectory());
    const gateways = gatewaysAtHand(
      installations.map(({ root, state }) => {
        const isPatched = state === "unknown" ? undefined : state === "patched" || state === "outdated";
        return { root, isPatched };
      }),
    );
    const states = new Set(installations.map(({ state }) => state));
    const whole =
      installations.length > 0 &&
      installations.every(
        ({ state, way, startsPatched }) => state === "patched" || (way === "register" && startsPatched),
      );
    return {
      data: { installations: installations.map(withoutReport), gone, ...(gateways && { gateways }), routes },
      lines: [
        ...installations.flatMap(installationLines),
        ...gone.map(goneLine),
        ...(wasCutOff() ? ["a setup was killed before its end: run it again, or setup --undo"] : []),
        ...leftLines(),
        ...learnedLines(routes),
        ...gatewaySentences(gateways).map(({ text, tone }) => new Toned(text, tone)),
        ...(gateways ?? []).flatMap((one) => {
          const { sentence, command } = gatewayStep(one) ?? {};
          return [
            ...toned(sentence === undefined ? [] : [sentence], "todo"),
            ...(command === undefined ? [] : [`  ${command}`]),
          ];
        }),
      ],
      exit: states.has("unknown") ? EXIT.refused : whole ? EXIT.ok : EXIT.no,
    };
  });
}

/**
 * Looks at one installation, with what is recorded of all. `path` names it in commands where the options of this
 * command name several. Throws only what is no PatchError.
 */
export function examineInstallation(
  { root, release, ways, places }: Found,
  record: readonly AppliedPatch[],
  path?: string,
): InstallationStatus {
  const without = fateWhenUnpatched(root, release, findEntry(record, root, places));
  try {
    const report = status(root);
    const { state } = report;
    const register = findSetup(root, places);
    const isMarked = state === "patched" || state === "outdated";
    const base = {
      root,
      release,
      ways,
      places,
      state,
      register,
      startsPatched: isMarked || startsRegistered(register),
    };
    if (state === "stock") {
      if (isRegistered(register))
        return { ...base, fate: "patched", way: "register", sentence: inMemory(release, register) };
      return { ...base, fate: without.fate, sentence: `${without.sentence} ${toPatch(path)}` };
    }
    const fate = state === "half-patched" ? state : "patched";
    const todo = state === "patched" ? "" : ` ${toPatch(path)}`;
    const sentence = `OpenClaw ${release} is ${SENTENCES[state]}${todo}`;
    const proof = isUnproved(report) ? "pending" : recordedProof(report);
    return { ...base, fate, way: "files", sentence, report, ...(proof !== undefined && { proof }) };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { code, message } = error;
    const sentence = without.fate === "updated" ? without.sentence : `OpenClaw ${release} cannot be patched as it is.`;
    const base = { root, release, ways, places, startsPatched: false };
    return { ...base, state: "unknown", fate: without.fate, sentence, refusal: { code, message } };
  }
}

/** A gateway that was started by `run` says nothing of the next start. */
function inMemory(release: string, register: Setup): string {
  if (startsRegistered(register)) return `OpenClaw ${release} is ${IN_MEMORY}`;
  const { length } = register.running;
  const which = length === 1 ? "one gateway runs" : `${length} gateways run`;
  return (
    `OpenClaw ${release}: ${which} patched in memory; a start without \`${ownCommand("run")}\` is not patched. ` +
    `For every start: ${ownCommand("service install")}`
  );
}

function toPatch(path: string | undefined): string {
  return `Run: ${ownCommand("setup", { path })}`;
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
  way,
  startsPatched,
  register,
}: InstallationStatus): Omit<InstallationStatus, "report" | "places"> {
  const more = { ...(refusal && { refusal }), ...(proof && { proof }) };
  return { root, release, ways, state, fate, sentence, way, startsPatched, register, ...more };
}

function installationLines(installation: InstallationStatus): readonly Line[] {
  const { root, ways, sentence, state, way, startsPatched, refusal, report, proof, register } = installation;
  const isWhole = state === "patched" || (way === "register" && startsPatched);
  return [
    new Toned(sentence, isWhole ? "good" : state === "outdated" ? "todo" : "bad"),
    ...keptLines(installation),
    `  in ${root} (${ways.join(", ")})`,
    ...leadLines(installation),
    ...(register === undefined ? [] : setupLines(register)),
    ...(report !== undefined && state === "patched" ? pointLines(report) : []),
    ...(proof === "pending" && state === "patched"
      ? toned([`  not proven on this machine. Run: ${ownCommand("prove")}`], "todo")
      : []),
    ...(refusal === undefined ? [] : toned([`  apply would refuse it (${refusal.code}): ${refusal.message}`], "bad")),
  ];
}

/** Why the plugin with keepPatched has not patched an OpenClaw, or what it could not prove. */
function keptLines({ root, release, state, way }: InstallationStatus): readonly string[] {
  const kept = findKept(root, release);
  if (kept === undefined) return [];
  const { step, reason = "", at } = kept;
  if (step === "reverted") {
    const leaves = state === "stock" && way === undefined && keepsPatched();
    return leaves ? ["  the plugin leaves it so: you reverted the patch"] : [];
  }
  if (step === "refused" && state !== "patched") return [`  the plugin could not patch it at ${at}: ${reason}`];
  if (step === "failed" && state !== "patched") return [`  the plugin reverted the patch at ${at}: ${reason}`];
  return step === "unproven" ? [`  the plugin applied it at ${at} and could not prove it: ${reason}`] : [];
}

function learnedLines(routes: readonly LearnedRoute[]): readonly string[] {
  if (routes.length === 0) return [];
  const lines = routes.slice(0, MAX_ROUTES).flatMap((route) => routeLines(route).map((line) => `  ${line}`));
  const rest = routes.length - MAX_ROUTES;
  return [
    "Learned of the routes to models:",
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more: ${ownCommand("routes")}`] : []),
  ];
}

function goneLine({ root, release, appliedAt }: AppliedPatch): string {
  return `OpenClaw ${release} in ${root}, patched at ${appliedAt}, is no longer there.`;
}
