/**
 * What each runtime does with the library, as lines that are the same everywhere. The file is copied to where the
 * package is installed, and imported or bundled from there. It uses nothing but what the web platform has.
 */
import { healingFetch } from "openclaw-integrity/fetch";
import { repair, validate } from "openclaw-integrity/transcript";
import { check, heal } from "openclaw-integrity/wire";

/**
 * Judges and repairs, heals and asks: the lines of each part. A line is the JSON of a list, which begins with whether
 * all is as promised. `url` is where the strict provider is.
 */
export async function run(url, cases) {
  return {
    lists: cases.lists.map(repairList),
    bodies: cases.bodies.map(healBody),
    answers: [
      ...(await mapInTurn(cases.damaged, (one) => askEachWay(url, one))).flat(),
      ...(await mapInTurn(cases.healthy, (one) => askHealthy(url, one))),
      ...(await mapInTurn(cases.refused, (one) => ask(url, one, JSON.stringify(one.body)))),
      ...(await mapInTurn(cases.streamed, (one) => ask(url, one, JSON.stringify(one.body)))),
    ],
    aborts: await mapInTurn(cases.hanging, (one) => abortEach(url, one)),
  };
}

function repairList(list) {
  const changes = [];
  const repaired = repair(list, { onRepairs: (found) => changes.push(found) });
  const isValid = validate(repaired.messages).length === 0 && repair(repaired.messages).messages === repaired.messages;
  return JSON.stringify([isValid, validate(list), repaired, changes, repaired.messages === list]);
}

function healBody({ api, body, options }) {
  const changes = [];
  const healed = heal(api, body, { ...options, onHealed: (found) => changes.push(found) });
  const isValid = heal(api, healed, options) === healed;
  return JSON.stringify([isValid, check(api, body, options), healed, changes, healed === body]);
}

/** The forms in which a program can give a body. */
const BODIES = {
  text: (json) => json,
  bytes: (json) => new TextEncoder().encode(json),
  buffer: (json) => new TextEncoder().encode(json).buffer,
  blob: (json) => new Blob([json], { type: "application/json" }),
};

async function askEachWay(url, one) {
  const json = JSON.stringify(one.body);
  const lines = await mapInTurn(Object.values(BODIES), (make) => ask(url, one, make(json)));
  return [...lines, await ask(url, one, json, true)];
}

/** Asks once, and says what was done for the request and what has come. */
async function ask(url, { path }, body, asRequest = false) {
  const told = [];
  let last;
  const fetch = healingFetch({
    fetch: async (...args) => (last = await globalThis.fetch(...args)),
    onHealed: ({ address: _address, ...request }) => told.push(request),
  });
  const init = { method: "POST", headers: { "content-type": "application/json", "x-of-program": "kept" }, body };
  const response = await (asRequest ? fetch(new Request(url + path, init)) : fetch(url + path, init));
  // What the provider has answered last is the very object that the program gets.
  return JSON.stringify([response.ok && response === last, response.status, told, await response.text()]);
}

/** A healthy request goes out with the very arguments, whitespace included. */
async function askHealthy(url, { path, body }) {
  let passed;
  const fetch = healingFetch({
    fetch: (...args) => {
      passed = args;
      return globalThis.fetch(...args);
    },
  });
  const given = [
    url + path,
    { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body, undefined, 3) },
  ];
  const response = await fetch(...given);
  return JSON.stringify([passed.every((one, at) => one === given[at]), await response.text()]);
}

/** Aborts before anything has come, and within a stream: the program is told the same as by the runtime's own fetch. */
async function abortEach(url, { plain, damaged, words }) {
  const [own, healing] = await mapInTurn(
    [
      [globalThis.fetch, plain],
      [healingFetch(), damaged],
    ],
    ([fetch, { silent, streamed }]) =>
      mapInTurn([true, false], async (asRequest) => [
        await abortSilent(url, silent, { fetch, asRequest }),
        await abortStream(url, streamed, { fetch, asRequest, words }),
      ]),
  );
  return JSON.stringify([JSON.stringify(own) === JSON.stringify(healing), healing.flat().map(([read]) => read)]);
}

/** The provider says nothing: what the program has read, which is nothing, and its error. */
async function abortSilent(url, one, { fetch, asRequest }) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 50);
  try {
    await fetch(...toArguments(url, one, { signal: controller.signal, asRequest }));
    return ["an answer"];
  } catch ({ name, message }) {
    return ["", name, message];
  } finally {
    clearTimeout(timer);
  }
}

/** The provider has sent a beginning and sends no more: that can be read before the answer is whole. */
async function abortStream(url, one, { fetch, asRequest, words }) {
  const controller = new AbortController();
  const response = await fetch(...toArguments(url, one, { signal: controller.signal, asRequest }));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let read = "";
  while (!read.includes(words)) {
    const { done, value } = await reader.read();
    if (done) return [read, "an end"];
    read += decoder.decode(value, { stream: true });
  }
  controller.abort();
  try {
    await reader.read();
    return [words, "no error"];
  } catch ({ name, message }) {
    return [words, name, message];
  }
}

function toArguments(url, { path, body }, { signal, asRequest }) {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  return asRequest ? [new Request(url + path, init)] : [url + path, init];
}

/** One after the other: what the provider counts is the same in each runtime. */
async function mapInTurn(items, work) {
  const results = [];
  for (const item of items) results.push(await work(item));
  return results;
}
