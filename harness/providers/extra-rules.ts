import { ADAPTERS } from "../../src/providers/index.ts";
import { readTurns, type ToolPart, type Turn } from "../../src/providers/index.ts";
import { makeRefusal, TELLINGS, WORDS, type Telling, type Words } from "./extra-rule-texts.ts";
import type { ApiAdapter, ExtraRule } from "../../src/providers/index.ts";

/*
 * Rules that no API has and nobody told the guard of, each on the calls and results of the conversation only: the tool
 * definitions of a request, and a conversation in plain text, keep every one of them.
 */

/** What breaks a rule: the part where it shows, and what is wrong with it. */
type Breach = { part: ToolPart; sentence: string } | undefined;

function rule(name: string, telling: Telling, find: (turns: Turn[], words: Words) => Breach): ExtraRule {
  return {
    name: `${name} ${telling}`,
    check(api, body) {
      const breach = find(readTurns(api, body), WORDS[api]);
      return breach === undefined ? undefined : makeRefusal(api, telling, breach.part.path, breach.sentence);
    },
  };
}

/** At most `most` calls in one message of the assistant's. */
export function atMostToolUses(most: number, telling: Telling = "indexed"): ExtraRule {
  return rule(`atMostToolUses(${most})`, telling, (turns, { call }) => {
    const turn = turns.find(({ calls }) => calls.length > most);
    const part = turn?.calls[most];
    return (
      part && { part, sentence: `at most ${most} ${call}s per message are supported, but found ${turn?.calls.length}.` }
    );
  });
}

/** No result of more than `chars` characters. */
export function noToolResultOver(chars: number, telling: Telling = "indexed"): ExtraRule {
  return rule(`noToolResultOver(${chars})`, telling, (turns, { result }) => {
    const part = results(turns).find((one) => one.chars > chars);
    return (
      part && { part, sentence: `a ${result} must not be longer than ${chars} characters, but found ${part.chars}.` }
    );
  });
}

/** One call at a time. */
export function noParallelCalls(telling: Telling = "indexed"): ExtraRule {
  return rule("noParallelCalls()", telling, (turns, { call }) => {
    const part = turns.find(({ calls }) => calls.length > 1)?.calls[1];
    return part && { part, sentence: `this model does not support parallel ${call}s.` };
  });
}

/** Calls of these tools only. */
export function toolNameAmong(names: readonly string[], telling: Telling = "indexed"): ExtraRule {
  return rule(`toolNameAmong(${names.join(", ")})`, telling, (turns, { call }) => {
    const part = named(turns).find(({ name }) => name !== "" && !names.includes(name));
    return (
      part && { part, sentence: `the name of a ${call} must be one of ${names.join(", ")}, but found ${part.name}.` }
    );
  });
}

/** No call of this tool. */
export function noToolNamed(banned: string, telling: Telling = "indexed"): ExtraRule {
  return rule(`noToolNamed(${banned})`, telling, (turns, { call }) => {
    const part = named(turns).find(({ name }) => name === banned);
    return part && { part, sentence: `a ${call} must not have the reserved name ${banned}.` };
  });
}

/** Neither calls nor results. */
export function noToolBlocksAtAll(telling: Telling = "indexed"): ExtraRule {
  return rule("noToolBlocksAtAll()", telling, (turns, { call, result }) => {
    const part = named(turns)[0];
    return part && { part, sentence: `this model does not support ${call}s or ${result}s in the conversation.` };
  });
}

/** No message of the assistant's with both text and a call. */
export function noTextBesideToolUse(telling: Telling = "indexed"): ExtraRule {
  return rule("noTextBesideToolUse()", telling, (turns, { call }) => {
    const part = turns.find(({ text, calls }) => text && calls.length > 0)?.calls[0];
    return part && { part, sentence: `a message with a ${call} must not contain text.` };
  });
}

/** No call among the first `n` messages (items). */
export function noToolUseBeforeMessage(n: number, telling: Telling = "indexed"): ExtraRule {
  return rule(`noToolUseBeforeMessage(${n})`, telling, (turns, { call }) => {
    const part = turns.flatMap(({ calls }) => calls).find(({ message }) => message < n);
    return part && { part, sentence: `a ${call} is not allowed before message ${n}.` };
  });
}

/** No image in a result. */
export function noImageInToolResult(telling: Telling = "indexed"): ExtraRule {
  return rule("noImageInToolResult()", telling, (turns, { result, image }) => {
    const part = results(turns).find(({ images }) => images > 0);
    return part && { part, sentence: `a ${result} must not contain an ${image}.` };
  });
}

/** At most `total` calls and results in the whole request. */
export function atMostToolBlocks(total: number, telling: Telling = "indexed"): ExtraRule {
  return rule(`atMostToolBlocks(${total})`, telling, (turns, { call, result }) => {
    const all = named(turns);
    const part = all[total];
    return (
      part && { part, sentence: `at most ${total} ${call}s and ${result}s are supported, but found ${all.length}.` }
    );
  });
}

/** Refuses whatever comes, with a text that the API has for a history it does not take. */
export function refuseEverything(text: keyof ApiAdapter["rejections"] = "unexpectedResult"): ExtraRule {
  return {
    name: `refuseEverything(${text})`,
    check(api) {
      const message = ADAPTERS.find((adapter) => adapter.api === api)?.rejections[text];
      return message === undefined ? undefined : { status: 400, message, path: "" };
    },
  };
}

/** One of the rules above (not refuseEverything), with random numbers and telling; the same for the same seed. */
export function randomExtraRule(seed: number): ExtraRule {
  const random = randomFrom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  const telling = TELLINGS[upTo(TELLINGS.length)] ?? "bare";
  const rules: (() => ExtraRule)[] = [
    () => atMostToolUses(1 + upTo(3), telling),
    () => noToolResultOver(10 ** (1 + upTo(3)), telling),
    () => noParallelCalls(telling),
    () => toolNameAmong([["read", "write"], ["exec"], ["browser", "message", "cron"]][upTo(3)] ?? [], telling),
    () => noToolNamed(["exec", "read", "write"][upTo(3)] ?? "exec", telling),
    () => noToolBlocksAtAll(telling),
    () => noTextBesideToolUse(telling),
    () => noToolUseBeforeMessage(1 + upTo(12), telling),
    () => noImageInToolResult(telling),
    () => atMostToolBlocks(upTo(8), telling),
  ];
  const pick = rules[upTo(rules.length)];
  return pick === undefined ? noToolBlocksAtAll(telling) : pick();
}

function results(turns: Turn[]): Turn["results"] {
  return turns.flatMap((turn) => turn.results);
}

/** Calls and results in the order of the conversation. */
function named(turns: Turn[]): ToolPart[] {
  return turns.flatMap((turn): ToolPart[] => [...turn.calls, ...turn.results]);
}

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
