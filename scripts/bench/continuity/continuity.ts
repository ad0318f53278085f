import { measureAppend } from "./append.ts";
import { type Crowd, measureCrowd } from "./crowd.ts";
import { measureFinished } from "./finished.ts";
import { type EngineComparison, measureDbos } from "./dbos.ts";
import { type Hot, measureHot } from "./hot.ts";
import { measureLong } from "./long.ts";
import type { Pair } from "./pairs.ts";
import type { ContinuityCosts } from "./report.ts";
import { measureRestore } from "./restore.ts";
import { withSubjects } from "./stores.ts";

/** Measures the kernel on both stores; `longEvents` is the length of the long workflow, 0 leaves it out. */
export async function measureContinuity(longEvents: number): Promise<ContinuityCosts> {
  const [appends, restores, finished, longs]: [Pair[], Pair[], Pair[], Pair[]] = [[], [], [], []];
  const [crowds, hots]: [Crowd[], Hot[]] = [[], []];
  let engines: EngineComparison = { pairs: [] };
  await withSubjects(async (subjects) => {
    process.stderr.write("measuring steps against DBOS\n");
    engines = await measureDbos(subjects.find(({ url }) => url !== undefined)?.url);
    for (const subject of subjects) {
      process.stderr.write(`measuring the continuity kernel on ${subject.name}\n`);
      appends.push(await measureAppend(subject));
      restores.push(...(await measureRestore(subject)));
      // On one store: what is measured is the work of this process.
      if (subject.url === undefined) finished.push(...(await measureFinished(subject)));
      else {
        crowds.push(await measureCrowd(subject.url));
        hots.push(...(await measureHot(subject.url)));
      }
      if (longEvents === 0) continue;
      process.stderr.write(`writing ${longEvents.toLocaleString("en-US")} events\n`);
      longs.push(await measureLong(subject, longEvents));
    }
  });
  return { appends, restores, finished, longs, crowds, hots, engines };
}
