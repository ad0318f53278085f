import type { Checkpoint } from "../../journal/index.ts";
import { describeCheckpoint, type CallBehind, type CheckpointReport } from "../../store/index.ts";
import { counted } from "../../doctor/words.ts";
import { formatTime } from "../../base/time.ts";
import { checkpointReason } from "../../store/checkpoints/checkpoint-reason.ts";
import { loadsOpenClaw, openCheckpoint, openStore } from "./state.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { endProcess, quietly } from "../with-openclaw.ts";

const OUTCOMES: Readonly<Record<CallBehind["outcome"], string>> = {
  done: "done",
  failed: "failed",
  unknown: "unknown, may have run",
  "not-started": "not started",
};

interface ShowOptions extends CommonOptions {
  readonly content?: boolean;
}

/** `openclaw-integrity checkpoints show <id>` */
export async function showCommand(id: string, options: ShowOptions): Promise<void> {
  let isLoaded = false;
  await runAsync(options, async () => {
    const { journal, checkpoint } = openCheckpoint(id, { readOnly: true });
    try {
      const store = await openStore(options);
      isLoaded = loadsOpenClaw(options);
      const report = await quietly(async () => describeCheckpoint(store, journal, checkpoint));
      return toOutcome(checkpoint, report, options);
    } finally {
      journal.close();
    }
  });
  if (isLoaded) endProcess();
}

function toOutcome(
  { snapshot, ...checkpoint }: Checkpoint,
  report: CheckpointReport,
  { content = false }: ShowOptions,
): Outcome {
  const { session, verdict, messagesBehind, calls, messagesBack } = report;
  const { rolledBackAt, messageIndex, leafEntryId, contentHash } = checkpoint;
  return {
    data: {
      checkpoint,
      hasSnapshot: snapshot !== undefined,
      ...report,
      ...(!content && { messagesBehind: messagesBehind.map(({ role }) => ({ role })) }),
    },
    lines: [
      `checkpoint ${checkpoint.id}, ${checkpointReason(checkpoint)}, ${formatTime(checkpoint.timestamp)}`,
      ...(rolledBackAt === undefined ? [] : [`  rolled back to at ${formatTime(rolledBackAt)}`]),
      `  session ${checkpoint.sessionId}` +
        (session?.sessionKey === undefined ? "" : `, conversation ${session.sessionKey}`) +
        (session?.isCurrent === false ? " (which now has a newer session)" : ""),
      `  ${messageIndex} messages up to entry ${leafEntryId ?? "(none)"}, hash ${contentHash}`,
      `  ${verdictLine(report)}`,
      ...(verdict === "holds" || verdict === "changed" ? behindLines(report) : []),
      ...messagesBehind.map(({ role, words }) => `    ${role}${!content || words === "" ? "" : `: ${words}`}`),
      ...(messagesBack > 0
        ? [`  messages that going there would make part of the conversation again: ${messagesBack}`]
        : []),
      ...(calls.length > 0
        ? ["  tool calls after it:", ...calls.map(({ tool, outcome }) => `    ${tool}: ${OUTCOMES[outcome]}`)]
        : []),
    ],
    warnings: session?.problems ?? [],
  };
}

function verdictLine({ verdict, foundHash }: CheckpointReport): string {
  if (verdict === "holds") return "valid: the messages are unchanged";
  if (verdict === "changed")
    return `not valid: the messages were changed, their hash is now ${foundHash ?? "that of another path"}`;
  if (verdict === "gone") return "not valid: that entry is no longer stored";
  return "not valid: OpenClaw no longer has this session";
}

function behindLines({ isLeaf, messagesBehind }: CheckpointReport): readonly string[] {
  if (isLeaf) return ["  the conversation is at this checkpoint"];
  return messagesBehind.length === 0 ? [] : [`  ${counted(messagesBehind.length, "message")} after it:`];
}
