/**
 * `npm run trial limits [-- --write] [--release R] [--only PATTERN]`: how deep and how large a stored message may be before
 * OpenClaw itself gives up on the session, unpatched and patched. Each size is a session of its own with one such
 * message in its history and one new message; what counts is whether the strict provider got a request that it takes,
 * and the user its answer.
 */
import { DatabaseSync } from "node:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver, type RunResult } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { markdownTable } from "../fuzz/table.ts";
import { HOLE, SHAPES, type Shape } from "./shapes.ts";
import { describeMaking } from "../measured/making.ts";

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    only: { type: "string", default: "" },
    largest: { type: "string", default: "Infinity" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/limits.md", import.meta.url));
const command = ["npm run trial limits", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);
const TURN_MS = 300_000;

type Variant = "stock" | "patched";

/** What became of one size. */
interface Tried {
  readonly size: number;
  readonly isAnswered: boolean;
  readonly requests: number;
  readonly how: string;
  readonly ms: number;
}

/** How far one shape goes, size by size until OpenClaw makes no request any more. */
interface Found {
  readonly release: string;
  readonly variant: Variant;
  readonly shape: Shape;
  readonly tried: readonly Tried[];
}

interface Side {
  readonly openclaw: OpenClawDriver;
  readonly provider: StrictProvider;
}

async function startSide(release: Release, variant: Variant): Promise<Side> {
  const installed = await ensurePatched(release, { say: (line) => console.error(line) });
  const provider = await startProvider();
  return {
    provider,
    openclaw: await startOpenClaw({
      root: join(installed[variant], "..", ".."),
      release,
      providerUrl: provider.url,
      turnTimeoutMs: TURN_MS,
    }),
  };
}

/** Puts the value that grows into the stored rows, which OpenClaw itself could not write. */
function fill(stateDir: string, hole: string): void {
  const file = join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite");
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    database
      .prepare("UPDATE transcript_events SET event_json = replace(event_json, ?, ?) WHERE event_json LIKE ?")
      .run(JSON.stringify(HOLE), hole, `%${HOLE}%`);
  } finally {
    database.close();
  }
}

async function tryOne({ openclaw, provider }: Side, shape: Shape, size: number): Promise<Tried> {
  provider.reset();
  const { messages, hole } = shape.history(size);
  const isRows = !openclaw.adapter.endsWith("JSONL");
  const text = toTranscript([...messages]);
  const run: RunResult = await openclaw.run({
    transcript: isRows ? text : text.replaceAll(JSON.stringify(HOLE), () => hole),
    api: "anthropic-messages",
    messages: [],
    contextWindow: 100_000_000,
  });
  if (run.error !== undefined) return { size, isAnswered: false, requests: 0, how: `not stored: ${run.error}`, ms: 0 };
  if (isRows) fill(openclaw.stateDir, hole);
  const turn = await run.send("and now?");
  const { length: requests } = provider.requests;
  const isAnswered = turn.answered && provider.requests.some(({ raw }) => raw.includes("first question"));
  const how = isAnswered
    ? "answered"
    : turn.answered
      ? "answered without the history"
      : (turn.error ?? turn.text).slice(0, 160);
  return { size, isAnswered, requests, how, ms: turn.ms };
}

async function findLimit(side: Side, release: string, variant: Variant, shape: Shape): Promise<Found> {
  const tried: Tried[] = [];
  for (const size of shape.sizes.filter((one) => one <= Number(values.largest))) {
    const one = await tryOne(side, shape, size);
    tried.push(one);
    console.error(
      `${release} ${variant}, ${shape.name}, ${size} ${shape.unit}: ${one.how}, ${one.requests} requests (${one.ms} ms)`,
    );
    if (!one.isAnswered && one.requests === 0) break;
  }
  return { release, variant, shape, tried };
}

const found: Found[] = [];
for (const release of values.release as Release[]) {
  for (const variant of ["stock", "patched"] as const) {
    const side = await startSide(release, variant);
    try {
      for (const shape of SHAPES.filter(({ name }) => new RegExp(values.only).test(name)))
        found.push(await findLimit(side, release, variant, shape));
    } finally {
      await side.openclaw.close();
      await side.provider.close();
    }
  }
}

function describeLimit({ shape, tried }: Found): string {
  const refusedAt = tried.findIndex(({ isAnswered }) => !isAnswered);
  const reached = tried.slice(0, refusedAt < 0 ? undefined : refusedAt).at(-1);
  const told = [
    reached === undefined
      ? "none"
      : `${reached.size.toLocaleString("en-US")} ${shape.unit} (${reached.ms.toLocaleString("en-US")} ms)${refusedAt < 0 ? ", the largest that was tried" : ""}`,
  ];
  const [refused, silent] = [
    tried[refusedAt],
    tried.findLast(({ isAnswered, requests }) => !isAnswered && requests === 0),
  ];
  for (const one of new Set([refused, silent])) {
    if (one)
      told.push(
        `at ${one.size.toLocaleString("en-US")}, ${one.requests === 0 ? "no request" : `${one.requests} ${one.requests === 1 ? "request" : "requests"}`}: ${one.how.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")}`,
      );
  }
  return told.join("; ");
}

const rows = SHAPES.filter((shape) => found.some((one) => one.shape === shape)).flatMap((shape) =>
  values.release.map((release) => {
    const formatVariant = (variant: Variant): string =>
      found
        .filter((one) => one.shape === shape && one.release === release && one.variant === variant)
        .map(describeLimit)
        .join("");
    return [shape.name, release, formatVariant("stock"), formatVariant("patched")];
  }),
);
const report = `# How deep and how large a stored message may be

${describeMaking(command)}

Each size is a session of its own: a few messages, one of them with the value that grows, and one new message of the user's, sent through the real
OpenClaw to the strict provider. Told is the largest size whose new message was answered with the history in the request, and what happened at the next one.
The provider refuses JSON of more than 512 levels, as the real ones do somewhere below that.

${markdownTable([["what grows", "release", "unpatched", "patched"], ...rows])}
`;
console.log(report);
if (values.write) writeFileSync(RESULTS, report);
