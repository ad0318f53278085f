import { withoutRefused } from "../../src/recovery/withhold.ts";
import { validate, validateToolResultPairing } from "../../src/transcript/index.ts";
import { SaidBefore } from "../../src/transcript/said.ts";
import { check, heal, prepare } from "../../src/wire/index.ts";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { bareLoop } from "./bare.ts";
import { compare, type Measured, type Yardsticks } from "./measure.ts";

/** How many messages the histories have. */
const SIZES = [10, 100, 1_000, 10_000, 100_000];

/** A healthy history of at most `size` messages that ends with a new one of the user. */
export function makeHistory(size: number): unknown[] {
  // Four messages a turn is the least there are on average.
  const long = healthyFrom(7, Math.ceil(size / 3) + 2);
  const end = long.findLastIndex((message, index) => index < size && (message as { role: string }).role === "user");
  const history = [...long.slice(0, end), { role: "user", content: "go on", timestamp: 1_770_000_000_000 }];
  // Names with a dot are healthy in the store only.
  return JSON.parse(JSON.stringify(history).replaceAll("calendar.list", "calendar_list")) as unknown[];
}

function yardsticks(messages: readonly unknown[], field: "content" | "parts"): Yardsticks {
  return { bare: () => bareLoop(messages, field), json: () => JSON.stringify(messages) };
}

function mustBe(same: boolean, what: string): void {
  if (!same) throw new Error(`${what} found fault with a healthy history, so that its time would say nothing`);
}

/** What is done to OpenClaw's messages before the adapter, whatever the API. */
export function measureHistory(sizes: readonly number[] = SIZES): Measured[] {
  return sizes.flatMap((size) => {
    const messages = makeHistory(size);
    mustBe(
      validate(messages).length === 0 &&
        validateToolResultPairing(messages) === messages &&
        withoutRefused(messages, "confirmed") === messages,
      "the history gate",
    );
    const said = new SaidBefore();
    said.compare(messages);
    said.accept(() => messages);
    mustBe(said.compare(messages).length === 0, "the record of what was said");
    const than = yardsticks(messages, "content");
    return [
      compare("compareSaid", messages.length, () => said.compare(messages), than),
      compare("validate", messages.length, () => validate(messages), than),
      compare("validateToolResultPairing", messages.length, () => validateToolResultPairing(messages), than),
      compare("withoutRefused", messages.length, () => withoutRefused(messages, "confirmed"), than),
    ];
  });
}

/** What is done for a request of one API: `prepare` on the messages, `check` and `heal` on the body. */
export function measureApi(api: ModelApi, sizes: readonly number[] = SIZES): Measured[] {
  return sizes.flatMap((size) => {
    const messages = makeHistory(size);
    const body = carelessBody(api, messages);
    mustBe(prepare(api, messages) === messages && check(api, body).length === 0 && heal(api, body) === body, api);
    const history = (body["messages"] ?? body["input"] ?? body["contents"]) as unknown[];
    const than = yardsticks(messages, "content");
    const thanBody = yardsticks(history, api === "google-generative-ai" ? "parts" : "content");
    return [
      compare("prepare", messages.length, () => prepare(api, messages), than),
      compare("check", messages.length, () => check(api, body), thanBody),
      compare("heal", messages.length, () => heal(api, body), thanBody),
    ];
  });
}
