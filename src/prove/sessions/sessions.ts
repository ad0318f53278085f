/** The sessions of a proof. Each marked text (`PROOF-…`) is content that must not be lost. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { ExtraRule } from "../provider/server.ts";
import { assistant, call, result, user } from "./messages.ts";

/** A session that is stored before OpenClaw starts. */
export interface ProofSession {
  readonly id: string;
  /** What is wrong with it, in plain words. */
  readonly fault: string;
  /** The messages as they are stored, without timestamps. */
  readonly messages: readonly JsonObject[];
  /** How the outcome is told when all went well. */
  readonly success: string;
  /** Whether the marks must be sent in the order in which they are stored. */
  readonly inOrder?: boolean;
  /** Whether the provider refuses it at first by a rule that the guard does not know. */
  readonly refused?: boolean;
  /** The releases on which its outcome was measured, and is expected; every one where this is absent. */
  readonly releases?: readonly string[];
  /** Texts of its latest messages, as they are in a request: one without any of them has lost the history. */
  readonly latest?: readonly string[];
}

/** The file that no call may read, says the provider. */
const REFUSED_PATH = "ledger.csv";
/** The one tool that OpenClaw offers here: some releases leave out stored calls of others (measured on 2026.8.2). */
export const TOOL = "read";
const ID = "toolu_01Proof";

const refused: ProofSession = {
  id: "refused",
  fault: "a valid history that the provider refuses",
  success: "the turn was recovered, and answered",
  refused: true,
  messages: [
    user("Count the rows of the ledger. PROOF-refused-ask."),
    assistant(["Counting. PROOF-refused-say.", call(`${ID}Refused`, TOOL, { path: REFUSED_PATH })]),
    result(`${ID}Refused`, TOOL, "PROOF-refused-result: 214 rows."),
    assistant(["214 rows. PROOF-refused-done."]),
  ],
};

/** How many characters of messages the provider takes; OpenClaw takes its model for one with a larger window. */
const MOST_CHARACTERS = 200_000;

const tooLarge: ProofSession = {
  id: "too-large",
  fault: "a valid history that is larger than the provider takes",
  success: "answered in the first turn, without the middle of a long result",
  // OpenClaw has ways of its own with such a history, which differ from release to release.
  releases: ["2026.2.3", "2026.9.6"],
  messages: [
    user("What is in the log? PROOF-large-ask."),
    assistant(["Reading. PROOF-large-say.", call(`${ID}Large`, TOOL, { path: "door.log" })]),
    result(`${ID}Large`, TOOL, "The door was opened and closed again.\n".repeat(8_000)),
    assistant(["Only the door. PROOF-large-done."]),
  ],
};

/** A session that shows that OpenClaw works. */
export const SOUND: ProofSession = {
  id: "sound",
  fault: "a valid history",
  success: "answered, and sent in its order",
  inOrder: true,
  messages: [
    user("How full is the disk? PROOF-sound-ask."),
    assistant(["Looking. PROOF-sound-say.", call(`${ID}Sound`, TOOL, { path: "disk.txt" })]),
    result(`${ID}Sound`, TOOL, "PROOF-sound-result: 71 % used."),
    assistant(["71 %. PROOF-sound-done."]),
  ],
};

/** The sound session, and then those that break an unpatched OpenClaw. */
export const SESSIONS: readonly ProofSession[] = [
  SOUND,
  {
    id: "orphaned-result",
    fault: "a tool result whose call is gone, at the beginning",
    success: "answered",
    messages: [
      result(`${ID}Orphan`, TOOL, "9 files."),
      assistant(["Nine files. PROOF-orphan-say."]),
      user("And folders? PROOF-orphan-ask."),
      assistant(["Two. PROOF-orphan-done."]),
    ],
  },
  {
    id: "cut-off-call",
    fault: "a tool call that was cut off while it was written, with a result",
    success: "answered",
    messages: [
      user("Read the report. PROOF-cut-ask."),
      assistant(["Reading. PROOF-cut-say.", call(`${ID}Cut`, TOOL, {}, { partialJson: '{"path":"rep' })], {
        stopReason: "aborted",
        errorMessage: "Request was aborted.",
      }),
      result(`${ID}Cut`, TOOL, "Aborted."),
      user("Where is it? PROOF-cut-again."),
      assistant(["It was cut off. PROOF-cut-done."]),
    ],
  },
  {
    id: "repeated-id",
    fault: "one call id for two calls, with two results",
    success: "answered, with both results",
    messages: [
      user("Which dates are in both? PROOF-twice-ask."),
      assistant([call("read_0", TOOL, { path: "a.md" })]),
      result("read_0", TOOL, "PROOF-twice-first: 3 May."),
      assistant(["And b. PROOF-twice-say.", call("read_0", TOOL, { path: "b.md" })]),
      result("read_0", TOOL, "PROOF-twice-second: 4 May."),
      assistant(["The 3rd and the 4th. PROOF-twice-done."]),
    ],
  },
  {
    id: "displaced-result",
    fault: "a tool result stored before its call",
    success: "answered, with the result",
    messages: [
      user("When did the gate open? PROOF-displaced-ask."),
      result(`${ID}Displaced`, TOOL, "PROOF-displaced-result: opened at 09:12."),
      assistant(["Looking. PROOF-displaced-say.", call(`${ID}Displaced`, TOOL, { path: "gate.log" })]),
      assistant(["At 09:12. PROOF-displaced-done."]),
    ],
  },
  refused,
  tooLarge,
];

/** The sessions of a proof of this release. */
export function sessionsFor(release: string): readonly ProofSession[] {
  return SESSIONS.filter(({ releases }) => releases?.includes(release) ?? true);
}

/** The texts of a session that a provider must be sent, in stored order. */
export function findMarks({ messages }: ProofSession): readonly string[] {
  return JSON.stringify(messages).match(/PROOF-[a-z]+-[a-z]+/g) ?? [];
}

/** The message that is sent to a session; it occurs in no other one. */
export function proofQuestion({ id }: ProofSession, nth: number): string {
  return `Proof question ${nth} to ${id}.`;
}

/** The rules of the proof's provider beside those of its API. */
export const refuse: ExtraRule = (body) => refuseSize(body) ?? refusePath(body);

const refuseSize: ExtraRule = (body) => refuseAbove(MOST_CHARACTERS, body);

/** Refuses more than so many characters of messages, in the words of Anthropic. */
export function refuseAbove(characters: number, body: unknown): string | undefined {
  const size = isObject(body) ? JSON.stringify(body.messages ?? []).length : 0;
  // Anthropic counts tokens, of about four characters.
  const [tokens, most] = [Math.ceil(size / 4), characters / 4];
  return tokens > most ? `prompt is too long: ${tokens} tokens > ${most} maximum` : undefined;
}

/** Refuses calls with one argument, which no API does. Holds for each request: sending it again does not help. */
const refusePath: ExtraRule = (body) => {
  const messages = isObject(body) && Array.isArray(body.messages) ? (body.messages as readonly unknown[]) : [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    const content = isObject(message) && Array.isArray(message.content) ? (message.content as readonly unknown[]) : [];
    const index = content.findIndex(
      (block) =>
        isObject(block) && block.type === "tool_use" && isObject(block.input) && block.input.path === REFUSED_PATH,
    );
    if (index >= 0)
      return `messages.${at}.content.${index}: a \`tool_use\` must not have the reserved path ${REFUSED_PATH}.`;
  }
  return undefined;
};
