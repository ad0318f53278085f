/** Whether the OpenClaws at hand are patched, and in which words: the same in the terminal, on the page and as JSON. */
import type { Tone } from "../base/terminal.ts";
import type { Checkup, GatewayAtHand, OpenClawAtHand } from "./checkup.ts";
import { isUnguarded } from "./gateways.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/**
 * What the patch does about stored faults. `whole`: it repairs them in each request. `other`: the patch of another
 * version of openclaw-integrity is at work, which may know fewer kinds. `none`: at least one OpenClaw is not patched,
 * or in part only. `unknown`: no OpenClaw was found, or one was changed by others.
 */
export type Protection = "whole" | "other" | "none" | "unknown";

/** Returns what protects the sessions: the weakest of the OpenClaws that use them, and of the gateways that run. */
export function protectionBy(
  openclaws: readonly OpenClawAtHand[] = [],
  gateways: readonly GatewayAtHand[] = [],
): Protection {
  if (gateways.some(isUnguarded)) return "none";
  const states = new Set(openclaws.map(({ patched }) => patched));
  if (states.has("no") || states.has("part")) return "none";
  if (states.size === 0 || states.has("unknown")) return "unknown";
  return states.has("outdated") ? "other" : "whole";
}

/** How a state of the patch is shown. */
interface PatchWords {
  /** Follows `OpenClaw <release>`. */
  readonly words: string;
  readonly tone: Tone;
  readonly command?: "setup" | "status";
}

const WORDS: Readonly<Record<OpenClawAtHand["patched"], PatchWords>> = {
  files: { words: "is patched, in its files.", tone: "good" },
  memory: { words: "is patched in memory when it is started; its files are as published.", tone: "good" },
  outdated: {
    words: "is patched, but by another version of openclaw-integrity.",
    tone: "todo",
    command: "setup",
  },
  part: { words: "is patched in part only, and the patch is off.", tone: "bad", command: "setup" },
  no: { words: "is not patched.", tone: "bad", command: "setup" },
  unknown: {
    words: "was changed by another program: whether the patch works is unknown.",
    tone: "todo",
    command: "status",
  },
};

/** Returns the words for the patch of one OpenClaw: a whole sentence, and the command that changes its state. */
export function patchWords({ release, patched, fate, isRefused, isUnproven, path }: OpenClawAtHand): {
  readonly sentence: string;
  readonly tone: Tone;
  readonly command?: string;
} {
  const { words, tone, command } = WORDS[patched];
  if (isUnproven === true)
    return {
      tone: "todo",
      sentence: `OpenClaw ${release} is patched, in its files, and not proven on this machine: \`${ownCommand("prove", { path })}\``,
    };
  const toRun =
    command === undefined ? {} : { command: ownCommand(isRefused === true ? "explain" : command, { path }) };
  return { tone, ...toRun, sentence: patched === "no" && fate !== undefined ? fate : `OpenClaw ${release} ${words}` };
}

/**
 * Returns what is known of the patch, for each OpenClaw: a sentence, the folder, and the command that changes its
 * state. One without a folder where none was found.
 */
export function patchStates({ openclaws, whyNone }: Pick<Checkup, "openclaws" | "whyNone">): {
  readonly sentence: string;
  readonly tone: Tone;
  readonly root?: string;
  readonly command?: string;
}[] {
  if (openclaws === undefined) return [];
  if (openclaws.length === 0)
    return [
      {
        tone: "todo",
        sentence:
          `Whether OpenClaw is patched is unknown: ${whyNone ?? "none was found"}. Name the OpenClaw of these ` +
          "sessions with --path or --global.",
      },
    ];
  return openclaws.map((openclaw) => ({ ...patchWords(openclaw), root: openclaw.root }));
}

/** Returns {@link patchStates} as one line of text for each OpenClaw. */
export function patchSentences(checkup: Pick<Checkup, "openclaws" | "whyNone">): string[] {
  return patchStates(checkup).map(
    ({ sentence, root, command }) =>
      sentence +
      (root === undefined ? "" : ` Its folder: ${root}`) +
      (command === undefined ? "" : `. Run: ${command}`),
  );
}
