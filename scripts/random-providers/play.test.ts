import { expect, it } from "vitest";
import type { RecordedRequest } from "../../harness/providers/index.ts";
import OpenAI from "openai";
import { connected } from "./play-library.ts";
import { wait, type Pause } from "./play.ts";

const PAUSE: Pause = { quietMs: 1, firstMs: 5, mostMs: 60_000 };

function request(tokens: number, status = 400): RecordedRequest {
  const body = { max_tokens: tokens };
  const base = { api: "anthropic-messages", path: "", headers: {}, fingerprint: "", at: 0 } as const;
  return {
    ...base,
    violations: [],
    body,
    raw: JSON.stringify(body),
    status,
    ...(status === 400 && { refusedBy: { by: "front", name: "" } }),
  };
}

/** A machine on which a process does so little at a time that a request comes only with every fourth look at it. */
function slowProcess(requests: RecordedRequest[], count: number): () => Promise<void> {
  let [looks, sent] = [0, 0];
  return async () => {
    if (++looks % 4 === 0 && sent < count) requests.push(request(1, ++sent % 2 === 0 ? 200 : 400));
  };
}

it("all requests behind a turn are counted to it, however slow the machine is", async () => {
  const requests = [request(8192), request(8192, 200)];
  const { requests: ofTurn, behind } = await wait(requests, 2, PAUSE, slowProcess(requests, 8));
  expect([ofTurn.length, behind.length]).toEqual([2, 8]);
});

it("a request that is under way is waited for, and a process that has ended is not", async () => {
  const open = request(1, 0);
  const requests = [request(8192), open];
  let looks = 0;
  const beat = async (): Promise<void> => {
    if (++looks === 20) open.status = 200;
    if (looks > 20) throw new Error("the process has ended");
  };
  await wait(requests, 1, PAUSE, beat);
  expect(open.status).toBe(200);
});

it("a machine that is too slow to connect is no provider that refuses", async () => {
  const errors: Error[] = [new OpenAI.APIConnectionError({}), new OpenAI.APIConnectionTimeoutError({})];
  const send = async (): Promise<string> => {
    const error = errors.shift();
    if (error) throw error;
    return "ok";
  };
  expect(await connected(send)).toBe("ok");
  errors.push(new Error("refused"));
  await expect(connected(send)).rejects.toThrow("refused");
});
