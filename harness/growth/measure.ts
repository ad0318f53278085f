/**
 * Counts the work of subjects on families at three sizes and sends the results to the parent, one message for each
 * subject. Started by growth.ts; by hand: `node --no-opt --no-maglev measure.ts '{"kind":"rows","n":500}'` prints them.
 */
import type { Subject } from "./subjects.ts";

/** What shall be measured. */
export interface Order {
  readonly kind: string;
  readonly n: number;
  /** All subjects of the kind without it. */
  readonly subject?: string;
  /** All families of the kind without it. */
  readonly families?: readonly string[];
  /** One of so many families for each subject, another one for each; all without it. */
  readonly oneOf?: number;
}

/** One subject on one family: the operations at n, 2n and 4n, or what was thrown. */
export interface Growth {
  readonly kind: string;
  readonly subject: string;
  readonly family: string;
  readonly counts: readonly number[];
  readonly thrown?: string;
}

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const { Operations } = await import("./operations.ts");
const operations = new Operations();
// Behind the first look: what was compiled before is not counted block by block.
const families = await import("./families.ts");
const subjects = await import("./subjects.ts");
const { CONTROLS, LISTS } = await import("./src/controls.ts");

const KINDS: Readonly<
  Record<string, readonly [Readonly<Record<string, Subject<never>>>, Readonly<Record<string, (n: number) => unknown>>]>
> = {
  histories: [subjects.OF_HISTORIES, families.HISTORIES],
  rows: [subjects.OF_ROWS, families.ROWS],
  texts: [subjects.OF_TEXTS, families.TEXTS],
  values: [subjects.OF_VALUES, families.VALUES],
  controls: [CONTROLS, LISTS],
};

async function measureGrowth(subject: string, make: Subject<never>, family: string): Promise<Growth | undefined> {
  const { kind, n } = order;
  const counts: number[] = [];
  try {
    const makeInput = inputs[family]!;
    // What is called for the first time is compiled, and counted otherwise.
    await make(makeInput(16) as never)?.();
    const works = [n, 2 * n, 4 * n].map((size) => make(makeInput(size) as never));
    await operations.start();
    for (const work of works) {
      if (!work) return undefined;
      counts.push(await operations.measure(work));
    }
  } catch (error) {
    return {
      kind,
      subject,
      family,
      counts,
      thrown:
        error instanceof Error
          ? `${error.name}: ${error.message.slice(0, 100)} ${/\n\s+at ([^\n]+)/.exec(error.stack ?? "")?.[1] ?? ""}`
          : String(error),
    };
  }
  return { kind, subject, family, counts };
}

const [made, inputs] = KINDS[order.kind] ?? [{}, {}];
const chosen = Object.keys(made).filter((name) => order.subject === undefined || order.subject === name);
if (chosen.length === 0)
  throw new Error(
    `Expected one of the kinds ${Object.keys(KINDS).join(", ")} and a subject of it, found ${process.argv[2]}`,
  );
for (const [index, subject] of chosen.entries()) {
  const found: Growth[] = [];
  for (const [at, family] of Object.keys(inputs).entries()) {
    if (order.families && !order.families.includes(family)) continue;
    if (order.oneOf !== undefined && (at + index) % order.oneOf !== 0) continue;
    const growth = await measureGrowth(subject, made[subject]!, family);
    if (growth) found.push(growth);
  }
  process.send?.(found);
  if (!process.send)
    for (const { family, counts, thrown } of found)
      console.log(`${subject} | ${family} | ${counts.join(" ")} ${thrown ?? ""}`);
}
process.disconnect?.();
