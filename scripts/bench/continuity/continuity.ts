import { measureAppend } from "./append.ts";
import { type Crowd, measureCrowd } from "./crowd.ts";
import { type Hot, measureHot } from "./hot.ts";
import { measureLong } from "./long.ts";
import type { Pair } from "./pairs.ts";
import type { ContinuityCosts } from "./report.ts";
import { measureRestore } from "./restore.ts";
import { withSubjects } from "./stores.ts";

/** Measures the kernel on both stores; `longEvents` is the length of the long workflow, 0 leaves it out. */
export async function measureContinuity(longEvents: number): Promise<ContinuityCosts> {
  const [appends, restores, longs, crowds, hots]: [Pair[], Pair[], Pair[], Crowd[], Hot[]] = [[], [], [], [], []];
  await withSubjects(async (subjects) => {
    for (const subject of subjects) {
      process.stderr.write(`measuring the continuity kernel on ${subject.name}\n`);
      appends.push(await measureAppend(subject));
      restores.push(...(await measureRestore(subject)));
      if (subject.url !== undefined) {
        crowds.push(await measureCrowd(subject.url));
        hots.push(...(await measureHot(subject.url)));
      }
      if (longEvents === 0) continue;
      process.stderr.write(`writing ${longEvents.toLocaleString("en-US")} events\n`);
      longs.push(await measureLong(subject, longEvents));
    }
  });
  return { appends, restores, longs, crowds, hots };
}
