import { findSummaryOrFile } from "../../store/index.ts";
import type { WorkReader } from "../../timetravel/index.ts";
import { type Fork, forkStored } from "../../timetravel/fork-stored.ts";
import { loadsOpenClaw, openStore } from "../checkpoints/state.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { endProcess, quietly } from "../with-openclaw.ts";
import { workReaderFor } from "./recorded-work.ts";

interface ForkOptions extends CommonOptions {
  readonly agent?: string;
  readonly label?: string;
  readonly note?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** `openclaw-integrity timeline fork <session> <place>` */
export async function forkCommand(which: string, place: string, options: ForkOptions): Promise<void> {
  const { label, note, dryRun, force } = options;
  let isLoaded = false;
  await runAsync(options, () =>
    withCatalog(async (catalog, directory) => {
      // A missing session is reported before OpenClaw is loaded, which takes seconds.
      const { sessionId, agentId } = findSummaryOrFile(catalog, which, options.agent);
      const store = await openStore(options);
      isLoaded = loadsOpenClaw(options);
      const warnings: string[] = [];
      const toWorkReader = (key: string): WorkReader => workReaderFor(key, directory, warnings, { isFork: true });
      const asked = { which: sessionId, agentId, place, label, note, dryRun, force, toWorkReader };
      const { problems, ...fork } = await quietly(() => forkStored(catalog, store, directory, asked));
      return toOutcome({ ...fork, problems: [...problems, ...warnings] }, place);
    }),
  );
  if (isLoaded) endProcess();
}

function toOutcome({ problems, ...fork }: Fork, place: string): Outcome {
  const { action, from, label, messages, sessionKey, sessionId } = fork;
  const source = `session ${from.sessionId}`;
  return {
    data: fork,
    lines:
      action === "forked"
        ? [
            `conversation ${sessionKey} begins with ${source} up to ${place}`,
            `  OpenClaw lists it as: ${label}`,
            `  its session: ${sessionId}, with ${messages} messages`,
            `  ${source} was only read`,
          ]
        : [
            `a new conversation would begin with ${source} up to ${place}, with ${messages} messages`,
            `  OpenClaw would list it as: ${label}`,
            "  nothing was changed",
          ],
    warnings: problems,
  };
}
