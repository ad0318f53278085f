import { printable } from "../../doctor/index.ts";
import type { Journal } from "../../journal/index.ts";
import { openStateJournal } from "../checkpoints/state.ts";
import { type OutputOptions, run, UsageError } from "../run.ts";

interface ForgetOptions extends OutputOptions {
  readonly all?: boolean;
}

const MAX_SHOWN = 5;
/** A gateway reads the journal again after so long. */
const SOON = "A gateway that runs asks in full again within half a minute.";

/** `openclaw-integrity routes forget` */
export function forgetCommand(which: string | undefined, options: ForgetOptions): void {
  run(options, () => {
    if ((which === undefined) === (options.all !== true))
      throw new UsageError(
        "name one route, or say --all; `openclaw-integrity routes` lists them. Nothing was changed.",
      );
    const journal = openStateJournal({ readOnly: false });
    try {
      const names = journal === undefined ? [] : chosen(journal, which);
      const facts = names.reduce((sum, name) => sum + journal!.learned.forget("route", name), 0);
      const lines = names.map((name) => `forgotten: ${printable(name, 300)}`);
      return {
        data: { action: facts > 0 ? "forgotten" : "already", routes: names, facts },
        lines: facts > 0 ? [...lines, SOON] : ["nothing is known of any route"],
      };
    } finally {
      journal?.close();
    }
  });
}

/** Returns the routes that are meant. Throws a UsageError for a name that none or more than one has. */
function chosen(journal: Journal, which: string | undefined): string[] {
  const all = [...new Set(journal.learned.list("route").map(({ name }) => name))];
  if (which === undefined || all.includes(which)) return which === undefined ? all : [which];
  const found = which === "" ? [] : all.filter((name) => name.includes(which));
  if (found.length === 1) return found;
  const shown = (found.length === 0 ? all : found).slice(0, MAX_SHOWN).map((name) => printable(name, 300));
  const what = found.length === 0 ? "no route has that in its name" : `${found.length} routes have that in their names`;
  const such = found.length === 0 ? "known are" : "such as";
  throw new UsageError(`${what}${shown.length === 0 ? "" : `; ${such}: ${shown.join(", ")}`}. Nothing was changed.`);
}
