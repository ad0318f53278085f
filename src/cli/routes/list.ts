import { type LearnedRoute, learnedRoutes, routeLines } from "../../doctor/index.ts";
import { openStateJournal } from "../checkpoints/state.ts";
import { type OutputOptions, run } from "../run.ts";

const NONE = "nothing is known of any route: no request was refused for its form within a week";

/** `openclaw-integrity routes list` */
export function listCommand(options: OutputOptions): void {
  run(options, () => {
    const routes = knownRoutes();
    return { data: { routes }, lines: routes.length === 0 ? [NONE] : routes.flatMap(routeLines) };
  });
}

/** Returns the routes of the journal; none where there is no journal yet. Throws a JournalError. */
function knownRoutes(): LearnedRoute[] {
  const journal = openStateJournal({ readOnly: true });
  try {
    return journal === undefined ? [] : learnedRoutes(journal);
  } finally {
    journal?.close();
  }
}
