/**
 * Counts the work of every subject on every family at three sizes and sends the results to the parent, one message for each subject.
 * `node measure.ts <kind> <n> [only subject] [only family]`.
 */
import type { Subject } from "./subjects.ts";

/** One subject on one family: the operations at n, 2n and 4n, or what was thrown. */
export interface Growth {
  readonly kind: string;
  readonly subject: string;
  readonly family: string;
  readonly counts: readonly number[];
  readonly thrown?: string;
}

const [kind = "histories", size = "1000", onlySubject, onlyFamily] = process.argv.slice(2);
const { Operations } = await import("./operations.ts");
const operations = new Operations();
// Behind the first look: what was compiled before is not counted block by block.
const families = await import("./families.ts");
const subjects = await import("./subjects.ts");

const KINDS: Readonly<Record<string, readonly [Readonly<Record<string, Subject<never>>>, Readonly<Record<string, (n: number) => unknown>>]>> = {
  histories: [subjects.OF_HISTORIES, families.HISTORIES],
  rows: [subjects.OF_ROWS, families.ROWS],
  texts: [subjects.OF_TEXTS, families.TEXTS],
  values: [subjects.OF_VALUES, families.VALUES],
};

async function growthOf(subject: string, make: Subject<never>, family: string, input: (n: number) => unknown, n: number): Promise<Growth | undefined> {
  const counts: number[] = [];
  try {
    // What is called for the first time is compiled, and counted otherwise.
    await make(input(16) as never)?.();
    for (const at of [n, 2 * n, 4 * n]) {
      const work = make(input(at) as never);
      if (!work) return undefined;
      counts.push(await operations.of(work));
    }
  } catch (error) {
    return { kind, subject, family, counts, thrown: error instanceof Error ? `${error.name}: ${error.message.slice(0, 100)} ${/\n\s+at ([^\n]+)/.exec(error.stack ?? "")?.[1] ?? ""}` : String(error) };
  }
  return { kind, subject, family, counts };
}

const [made, inputs] = KINDS[kind]!;
for (const [subject, make] of Object.entries(made)) {
  if (onlySubject !== undefined && onlySubject !== subject) continue;
  const found: Growth[] = [];
  for (const [family, input] of Object.entries(inputs)) {
    if (onlyFamily !== undefined && onlyFamily !== family) continue;
    const growth = await growthOf(subject, make, family, input, Number(size));
    if (growth) found.push(growth);
  }
  process.send?.(found);
  if (!process.send) for (const { family, counts, thrown } of found) {
    const exponent = counts.length === 3 ? Math.log2(counts[2]! / counts[0]!) / 2 : Number.NaN;
    if (process.env.ALL || !(exponent < 1.2)) console.log(`${subject} | ${family} | ${exponent.toFixed(2)} | ${counts.join(" ")} ${thrown ?? ""}`);
  }
}
process.disconnect?.();
