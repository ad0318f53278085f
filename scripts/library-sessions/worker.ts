/**
 * Plays the sessions of a batch one after the other, on from where a kill has cut the last one off. Arguments: folder,
 * seed, first session, how many.
 */
import { join } from "node:path";
import { openJournal } from "../../src/integrity/index.ts";
import { playSession } from "./play.ts";
import { Trace } from "./trace.ts";

const [folder, seed, first, count] = [
  process.argv[2]!,
  process.argv[3]!,
  Number(process.argv[4]),
  Number(process.argv[5]),
];
const trace = new Trace(folder);
const progress = trace.progress();
const listSessions = (kind: string): Set<number> =>
  new Set(progress.filter((one) => one.kind === kind).map(({ session }) => session));
const [begun, done] = [listSessions("begun"), listSessions("done")];
const life = progress.filter(({ kind }) => kind === "begun").length;
const journal = openJournal(join(folder, "journal.sqlite"));
let playing = first;
// Nothing that a tool or a provider does may end the program.
for (const name of ["unhandledRejection", "uncaughtException"] as const)
  process.on(name, (error: unknown) =>
    trace.note(playing, "fault", `${name}: ${error instanceof Error ? error.stack : String(error)}`),
  );
process.stdout.write("begun\n");
for (playing = first; playing < first + count; playing++) {
  if (done.has(playing)) continue;
  trace.advance({ session: playing, kind: "begun" });
  await playSession({ folder, seed, journal, trace, life }, playing, begun.has(playing));
  process.stdout.write("s\n");
}
journal.close();
process.exit(0);
