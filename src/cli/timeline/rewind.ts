import { findSummaryOrFile } from "../../store/index.ts";
import { rewindStored } from "../../timetravel/rewind-stored.ts";
import type { Rewound } from "../../timetravel/rewind.ts";
import type { WorkReader } from "../../timetravel/index.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { movedLines } from "../checkpoints/moved-lines.ts";
import { loadsOpenClaw, openStore } from "../checkpoints/state.ts";
import type { Files } from "../../timetravel/files/places.ts";
import { filesLines } from "./files-lines.ts";
import { workReaderFor } from "./recorded-work.ts";
import { ask, asks, runAsking } from "../question.ts";
import { type CommonOptions, type Outcome, UsageError } from "../run.ts";
import { endProcess, quietly } from "../with-openclaw.ts";

interface RewindCommandOptions extends CommonOptions {
  readonly agent?: string;
  readonly note?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly sessionKey?: string;
  readonly force?: boolean;
  readonly files?: Files;
  readonly theirs?: boolean;
  readonly ours?: boolean;
  readonly undo?: boolean;
}

/** `openclaw-integrity timeline rewind <session> <place>` */
export async function rewindCommand(
  which: string,
  given: string | undefined,
  options: RewindCommandOptions,
): Promise<void> {
  const { dryRun = false, note, sessionKey, force, files } = options;
  const conflicts = options.theirs === true ? "theirs" : options.ours === true ? "ours" : undefined;
  let isLoaded = false;
  await runAsking(options, () =>
    withCatalog(async (catalog, directory) => {
      assertOnePlace(given, options);
      const place = given ?? "the place before the last move";
      // A missing session is reported before OpenClaw is loaded, which takes seconds.
      const { sessionId, agentId } = findSummaryOrFile(catalog, which, options.agent);
      const store = await openStore(options);
      isLoaded = loadsOpenClaw(options);
      const asked = { which: sessionId, agentId, place: given, note, sessionKey, force, files, conflicts } as const;
      const go = async (only: boolean): Promise<Rewound> => {
        const warnings: string[] = [];
        const toWorkReader = (key: string): WorkReader => workReaderFor(key, directory, warnings);
        const rewound = await quietly(() =>
          rewindStored(catalog, store, directory, { ...asked, dryRun: only, toWorkReader }),
        );
        return { ...rewound, problems: [...rewound.problems, ...warnings] };
      };
      if (!dryRun && asks(options)) await confirm(await go(true), place, options);
      const outcome = toOutcome(await go(dryRun), place, options);
      return dryRun ? { ...outcome, lines: [...outcome.lines, "  nothing was changed"] } : outcome;
    }),
  );
  if (isLoaded) endProcess();
}

/** Throws unless there is a place or `--undo`, and not both. */
function assertOnePlace(place: string | undefined, { undo = false }: RewindCommandOptions): void {
  if ((place === undefined) === undo) return;
  throw new UsageError(
    `expected a place, or --undo for the one before the last move; found ${undo ? "both" : "neither"}`,
  );
}

async function confirm(planned: Rewound, place: string, options: RewindCommandOptions): Promise<void> {
  if (planned.action === "already") return;
  await ask(toOutcome(planned, place, options).lines, "Go there?");
}

function backCommand(sessionId: string, back: string, { agent, files }: RewindCommandOptions): string {
  const options = [
    ...(agent === undefined ? [] : ["--agent", agent]),
    ...(files === "restore" ? ["--files", files] : []),
  ];
  return ownCommand("timeline rewind", { options, argument: [sessionId, back] });
}

function toOutcome(
  { problems, carryover: _words, effects: _inputs, ...rewound }: Rewound,
  place: string,
  options: RewindCommandOptions,
): Outcome {
  const { action, sessionKey, sessionId, targetId, messagesLeft, messagesBack, called, back, files } = rewound;
  const conversation = `conversation ${sessionKey ?? `of session ${sessionId}`}`;
  const where = `${place}${targetId === null || targetId === place ? "" : ` (${targetId})`}`;
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
            ...movedLines({ messagesLeft, messagesBack }, action === "rewound"),
            ...(files === undefined ? [] : filesLines(files, action === "rewound")),
            ...(called === ""
              ? []
              : [
                  "  tool calls among them, " +
                    `${files === undefined ? "which are not undone" : "whose other effects are not undone"}: ${called}`,
                ]),
            ...(back === undefined
              ? []
              : [
                  `  to undo ${action === "rewound" ? "this" : "it afterwards"}:`,
                  `    ${backCommand(sessionId, back, options)}`,
                ]),
          ]),
    ],
    warnings: problems,
  };
}
