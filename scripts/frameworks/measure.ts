import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FAULTS, listWords, VALID } from "../../harness/lists/faults.ts";
import { RENDER, type Step } from "../../harness/lists/forms.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { healingFetch } from "../../src/fetch/index.ts";
import { repair } from "../../src/lists/index.ts";
import { installPinned } from "../pinned.ts";
import { installLibrary } from "./library.ts";
import { findTypeErrors } from "./types.ts";

/** What is done for an agent. */
interface Way {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly repair: <T>(list: T[]) => T[];
  readonly adapts: boolean;
}

/** An agent of a framework, see agents.mjs. */
interface Agent {
  readonly name: string;
  readonly form: keyof typeof RENDER;
  readonly api: string;
  readonly ask: (list: unknown[], way: Way) => Promise<unknown>;
  readonly hasNoLine?: boolean;
  readonly hasNoAdapter?: boolean;
}

/** How many of the damaged histories an agent answers, by what is done for it; what is wrong with an answer. */
export interface Measured {
  readonly name: string;
  readonly api: string;
  /** Without the ways that it does not have. */
  readonly answered: Readonly<Partial<Record<WayName, number>>>;
  /** In how many of its requests a word of the history is missing: as it is; with `healingFetch` and any adapter. */
  readonly lost: readonly [asItIs: number, helped: number];
  readonly faults: readonly string[];
}

const ADAPTED = "adapter, healingFetch";

const WAYS = {
  "as it is": {},
  healingFetch: { heals: true },
  repair: { repairs: true },
  both: { heals: true, repairs: true },
  adapter: { adapts: true },
  [ADAPTED]: { adapts: true, heals: true },
} as const;

export type WayName = keyof typeof WAYS;
export const WAY_NAMES = Object.keys(WAYS) as WayName[];
export const HISTORIES = Object.keys(FAULTS).length;

/** Sets of versions: where each is pinned, the files that ask with them, the last one first, and what answers all. */
export const PINNED = {
  newest: {
    name: "frameworks",
    pins: import.meta.dirname,
    files: ["newest.mjs", "agents.mjs"],
    whole: ["both", ADAPTED],
  },
  /** Of each framework the oldest one with which all is answered. */
  oldest: {
    name: "frameworks-oldest",
    pins: join(import.meta.dirname, "oldest"),
    files: ["agents.mjs"],
    whole: ["both"],
  },
  sdks: { name: "frameworks-sdks", pins: join(import.meta.dirname, "sdks"), files: ["sdks.mjs"], whole: ["both"] },
} as const;

type Pinned = (typeof PINNED)[keyof typeof PINNED];

/**
 * Asks each agent of each framework with each damaged history, and compiles a program with each adapter of the newest
 * ones; undefined where the frameworks cannot be had.
 */
export async function measureAgents(
  say: (line: string) => void,
  { name: set, pins, files, whole }: Pinned = PINNED.newest,
): Promise<{ measured: Measured[]; peers: Measured[]; typeErrors: string[] } | undefined> {
  const folder = await installPinned(set, pins);
  if (folder === undefined) return undefined;
  await installLibrary(folder);
  for (const file of files) copyFileSync(join(import.meta.dirname, file), join(folder, file));
  const copy = join(folder, files[0]);
  const { AGENTS, PEERS = [] } = (await import(pathToFileURL(copy).href)) as Record<
    "AGENTS" | "PEERS",
    readonly Agent[]
  >;
  const provider = await startProvider();
  const measured: Measured[] = [];
  const peers: Measured[] = [];
  try {
    for (const agent of AGENTS) {
      const one = await measureAgent(agent, provider, new Set<WayName>(whole));
      measured.push(one);
      say(
        `${one.name}, ${one.api}: ${WAY_NAMES.map((way) => `${way} ${one.answered[way] ?? "-"}`).join(", ")} of ${HISTORIES}`,
      );
    }
    for (const peer of PEERS)
      peers.push(await measureAgent({ ...peer, hasNoLine: true, hasNoAdapter: true }, provider, new Set<WayName>()));
  } finally {
    await provider.close();
  }
  return { measured, peers, typeErrors: set === PINNED.newest.name ? findTypeErrors(folder) : [] };
}

/** `whole`: what answers all histories, with all that the agent itself sends, and sends a valid one as it is. */
async function measureAgent(agent: Agent, provider: StrictProvider, whole: ReadonlySet<WayName>): Promise<Measured> {
  const ways = WAY_NAMES.filter(
    (name) => !(agent.hasNoLine && "repairs" in WAYS[name]) && !(agent.hasNoAdapter && "adapts" in WAYS[name]),
  );
  const answered: Partial<Record<WayName, number>> = {};
  const faults: string[] = [];
  const helped = agent.hasNoAdapter ? "healingFetch" : ADAPTED;
  const lost: Partial<Record<WayName, number>> = { "as it is": 0, [helped]: 0 };
  /** What is sent of each history as it is; an agent may leave out by itself what it could not read. */
  const bare = new Map<string, string>();
  for (const name of ways) {
    const own = makeWay(provider, name);
    answered[name] = 0;
    for (const [fault, steps] of Object.entries(FAULTS)) {
      provider.reset();
      const list = render(agent, steps);
      const error = await agent.ask(list, own).then(
        () => undefined,
        (thrown: unknown) => String(thrown).slice(0, 200),
      );
      if (error === undefined) answered[name]++;
      const sent = provider.requests.at(-1)?.raw;
      const missing = (given: string): string[] =>
        listWords(steps).filter((word) => given.includes(word) && !sent?.includes(word));
      const before = lost[name];
      if (before !== undefined && sent !== undefined && missing(JSON.stringify(list)).length > 0)
        lost[name] = before + 1;
      if (name === "as it is" && sent !== undefined) bare.set(fault, sent);
      if (!whole.has(name)) continue;
      const words = missing(bare.get(fault) ?? JSON.stringify(list));
      if (error !== undefined) faults.push(`${name}, ${fault}: ${error}`);
      if (words.length > 0) faults.push(`${name}, ${fault}: not in the request: ${words.join(", ")}`);
    }
  }
  const without = await sendValid(agent, provider, "as it is");
  for (const name of ways.filter((one) => whole.has(one))) {
    const ours = await sendValid(agent, provider, name);
    if (without !== ours) faults.push(`${name}: a valid history is sent as ${ours}, without the library as ${without}`);
  }
  return { name: agent.name, api: agent.api, answered, lost: [lost["as it is"] ?? 0, lost[helped] ?? 0], faults };
}

/** The body that is sent for a valid history. */
async function sendValid(agent: Agent, provider: StrictProvider, way: WayName): Promise<string> {
  provider.reset();
  await agent.ask(render(agent, VALID), makeWay(provider, way));
  return provider.requests.map(({ raw }) => raw).join("\n");
}

function render({ form }: Agent, steps: readonly Step[]): unknown[] {
  // A person asks again behind what was left.
  const asked: readonly Step[] = steps.at(-1)?.kind === "user" ? steps : [...steps, { kind: "user", text: "Go on." }];
  return RENDER[form](asked);
}

function makeWay({ url }: StrictProvider, name: WayName): Way {
  const { heals, repairs, adapts = false }: { heals?: boolean; repairs?: boolean; adapts?: boolean } = WAYS[name];
  return {
    url,
    fetch: heals ? healingFetch({ fetch: globalThis.fetch }) : globalThis.fetch,
    repair: (list) => (repairs ? repair(list).messages : list),
    adapts,
  };
}
