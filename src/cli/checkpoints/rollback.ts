import { countByTool, rollBackTo, type RolledBack } from "../../store/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { movedLines } from "./moved-lines.ts";
import { loadsOpenClaw, openCheckpoint, openStore } from "./state.ts";
import { ask, asks, runAsking } from "../question.ts";
import type { CommonOptions, Outcome } from "../run.ts";
import { endProcess, quietly } from "../with-openclaw.ts";

interface RollbackOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly sessionKey?: string;
  readonly force?: boolean;
}

/** `openclaw-integrity checkpoints rollback <id>` */
export async function rollbackCommand(id: string, options: RollbackOptions): Promise<void> {
  const { dryRun = false, sessionKey, force } = options;
  let isLoaded = false;
  await runAsking(options, async () => {
    const { journal } = openCheckpoint(id, { readOnly: dryRun });
    try {
      const store = await openStore(options);
      isLoaded = loadsOpenClaw(options);
      const roll = (only: boolean): Promise<RolledBack> =>
        quietly(() => rollBackTo(store, journal, id, { dryRun: only, sessionKey, force }));
      if (!dryRun && asks(options)) await confirm(await roll(true));
      const outcome = outcomeOf(await roll(dryRun));
      return dryRun ? { ...outcome, lines: [...outcome.lines, "  nothing was changed"] } : outcome;
    } finally {
      journal.close();
    }
  });
  if (isLoaded) endProcess();
}

async function confirm(planned: RolledBack): Promise<void> {
  if (planned.action === "already") return;
  await ask(outcomeOf(planned).lines, "Roll back?");
}

function outcomeOf({ note, problems, ...rolledBack }: RolledBack): Outcome {
  const { checkpoint, sessionKey, sessionId, action, messagesLeft, messagesBack, calls, kept } = rolledBack;
  const { snapshot: _, ...stored } = checkpoint;
  const conversation = `conversation ${sessionKey ?? `of session ${sessionId}`}`;
  const sentences = {
    "rolled-back": `${conversation} continues from checkpoint ${checkpoint.id}`,
    already: `${conversation} is at checkpoint ${checkpoint.id}, nothing to do`,
    "would-roll-back": `${conversation} would continue from checkpoint ${checkpoint.id}`,
  };
  const acted = calls.filter(({ outcome }) => outcome !== "not-started");
  return {
    data: { ...rolledBack, checkpoint: stored, ...(note !== undefined && { note }) },
    lines: [
      sentences[action],
      ...(action === "already" ? [] : movedLines({ messagesLeft, messagesBack }, action === "rolled-back")),
      ...(action === "already" || acted.length === 0
        ? []
        : [`  tool calls among them, which are not undone: ${countByTool(acted)}`]),
      ...(kept === undefined
        ? []
        : ["  to undo this rollback:", `    ${ownCommand("checkpoints rollback", { argument: kept })}`]),
    ],
    warnings: problems,
  };
}
