/** What tools of others give back, what they and providers throw, and what models call. */
import type { Random } from "../../harness/random.ts";
import { HOSTILE_OUTPUTS } from "../../harness/arbitrary/hostile-outputs.ts";

/** Too slow to be drawn a hundred thousand times. */
const HEAVY = new Set([
  "a hundred thousand keys",
  "a list of depth 100,000",
  "an object of depth 100,000",
  "two to the sixtieth ways to one leaf",
]);
const HOSTILE = [...HOSTILE_OUTPUTS].filter(([what]) => !HEAVY.has(what)).map(([, make]) => make);
const HEAVY_ONES = [...HOSTILE_OUTPUTS].filter(([what]) => HEAVY.has(what)).map(([, make]) => make);

/** Any value at all. */
function hostileValue(random: Random): unknown {
  return (random.chance(0.001) ? random.pick(HEAVY_ONES) : random.pick(HOSTILE))();
}

/** What a tool gives back, with its words in it. */
export function outputWith(words: string, random: Random): unknown {
  const text = { type: "text", text: words };
  const circle: Record<string, unknown> = { words };
  circle.again = circle;
  return random.pick<() => unknown>([
    () => ({ output: words }),
    () => ({ output: words }),
    () => ({ output: words }),
    () => ({ output: [text] }),
    () => ({ output: words, isError: true }),
    () => words,
    () => [text],
    () => text,
    () => [words],
    () => ({ content: [text] }),
    () => ({ content: words, is_error: true }),
    () => ({ any: { deep: words } }),
    () => ({ output: { deep: words } }),
    () => ({ output: [words, null, 5] }),
    () => new Map([["words", words]]),
    () => circle,
    () => ({ words, amount: 12n }),
    () => ({ output: [text, { type: "text", text: " " }, { type: "canvas", html: "<p>" }] }),
    () => ({ output: `${words} half \ud800` }),
    () => new Error(words),
    () => ({
      words,
      get bad(): never {
        throw new Error("no");
      },
    }),
    () => [[[words]]],
    () => ({ output: [{ ...text, annotations: [], cost: 5 }] }),
  ])();
}

/** What a tool gives back that says nothing. */
export function outputWithout(random: Random): unknown {
  return random.chance(0.5)
    ? random.pick([
        undefined,
        null,
        7,
        false,
        [],
        {},
        "",
        { output: "" },
        { output: undefined },
        { output: [null] },
        { output: "", isError: true },
      ])
    : hostileValue(random);
}

function api(status: number, message: string): Error {
  return Object.assign(
    new Error(`${status} {"type":"error","error":{"type":"invalid_request_error","message":"${message}"}}`),
    { status },
  );
}

/** What a provider's client throws that is not about the history. */
export function randomError(random: Random): unknown {
  if (random.chance(0.4)) return hostileValue(random);
  return random.pick<() => unknown>([
    () => api(529, "Overloaded"),
    () => api(500, "Internal server error"),
    () => api(429, "rate limited"),
    () => api(401, "invalid x-api-key"),
    () => new Error("socket hang up"),
    () => undefined,
    () => null,
    () => "overloaded",
    () => ({}),
    () => HOSTILE_OUTPUTS.get("an error of axios")!(),
  ])();
}

/** An error about what was sent. */
export function randomRefusal(random: Random): unknown {
  return random.pick([
    () => api(400, "Output blocked by content filtering policy"),
    () => api(400, "messages.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"),
    () => api(400, "messages: roles must alternate"),
  ])();
}

/** A call of a model's: mostly as it should be. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export function callFor(word: string, random: Random): ModelCall {
  const isOdd = random.chance(0.15);
  return {
    id: isOdd
      ? random.pick(["functions.exec:0", `call ${word}`.replace(" ", "|"), `x${word}`.padEnd(90, "y"), "exec_0"])
      : `toolu_${word}`,
    name: isOdd
      ? random.pick(["exec", "run it", "calendar.list", "n".repeat(200), "ä"])
      : random.pick(["exec", "read", "web_search"]),
    input: isOdd ? random.pick<unknown>([{ for: word }, JSON.stringify({ for: word }), word, [word]]) : { for: word },
  };
}
