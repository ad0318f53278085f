import { findSummaryOrFile } from "../../store/index.ts";
import { rewindStored } from "../../timetravel/rewind-stored.ts";
import type { Rewound } from "../../timetravel/rewind.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { loadsOpenClaw, openStore } from "../checkpoints/state.ts";
import { ask, asks, runAsking } from "../question.ts";
import type { CommonOptions, Outcome } from "../run.ts";
import { endProcess, quietly } from "../with-openclaw.ts";

interface RewindCommandOptions extends CommonOptions {
  readonly agent?: string;
  readonly note?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly sessionKey?: string;
  readonly force?: boolean;
}

/** `openclaw-integrity timeline rewind <session> <place>` */
export async function rewindCommand(which: string, place: string, options: RewindCommandOptions): Promise<void> {
  const { dryRun = false, note, sessionKey, force } = options;
  let isLoaded = false;
  await runAsking(options, () =>
    withCatalog(async (catalog, directory) => {
      // A missing session is reported before OpenClaw is loaded, which takes seconds.
      const { sessionId, agentId } = findSummaryOrFile(catalog, which, options.agent);
      const store = await openStore(options);
      isLoaded = loadsOpenClaw(options);
      const asked = { which: sessionId, agentId, place, note, sessionKey, force };
      const go = (only: boolean): Promise<Rewound> =>
        quietly(() => rewindStored(catalog, store, directory, { ...asked, dryRun: only }));
      if (!dryRun && asks(options)) await confirm(await go(true), place);
      const outcome = outcomeOf(await go(dryRun), place);
      return dryRun ? { ...outcome, lines: [...outcome.lines, "  nothing was changed"] } : outcome;
    }),
  );
  if (isLoaded) endProcess();
}

async function confirm(planned: Rewound, place: string): Promise<void> {
  if (planned.action === "already") return;
  await ask(outcomeOf(planned, place).lines, "Go there?");
}

function outcomeOf({ problems, carryover: _words, ...rewound }: Rewound, place: string): Outcome {
  const { action, sessionKey, sessionId, targetId, messagesLeft, messagesBack, called, back } = rewound;
  const conversation = `conversation ${sessionKey ?? `of session ${sessionId}`}`;
  const where = `${place}${targetId === null || targetId === place ? "" : ` (${targetId})`}`;
  const are = action === "rewound" ? "are" : "would be";
  const sentences = {
    rewound: `${conversation} continues from ${where}`,
    already: `${conversation} is at ${where}, nothing to do`,
    "would-rewind": `${conversation} would continue from ${where}`,
  };
  return {
    data: rewound,
    lines: [
      sentences[action],
      ...(action === "already"
        ? []
        : [
            `  messages that ${are} no longer part of it: ${messagesLeft} (they stay stored)`,
            ...(messagesBack > 0 ? [`  messages that ${are} part of it again: ${messagesBack}`] : []),
            ...(called === "" ? [] : [`  tool calls among them, which are not undone: ${called}`]),
            ...(back === undefined ? [] : [`  its previous end is ${back}; rewind to it to undo this`]),
          ]),
    ],
    warnings: problems,
  };
}
