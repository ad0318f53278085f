import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { keepRetriedTurn } from "./retried-turn.ts";

/**
 * A session of an early release: `prompt` is over with the first answer after a broken one, and the agent goes on. What
 * the agent does is given as milliseconds, one number for each time that it is asked again.
 */
class Session {
  readonly done: string[] = [];
  #running: Promise<void> | undefined;
  #retry: Promise<void> | undefined;
  readonly agent = {
    replaceMessages: (): void => {},
    waitForIdle: async (): Promise<void> => this.#running,
  };

  readonly runs: readonly number[];

  constructor(runs: readonly number[]) {
    this.runs = runs;
  }

  get isRetrying(): boolean {
    return this.#retry !== undefined;
  }
  waitForRetry = async (): Promise<void> => this.#retry;
  prompt = async (text: unknown): Promise<unknown> => {
    this.#go(0);
    return `${String(text)} begun`;
  };

  #go(nth: number): void {
    this.#running = sleep(this.runs[nth]!).then(() => {
      this.done.push(`run ${nth}`);
      this.#running = undefined;
      if (nth + 1 < this.runs.length) void Promise.resolve().then(() => this.#again(nth + 1));
    });
  }

  #again(nth: number): void {
    this.#retry = sleep(20).then(() => {
      this.#retry = undefined;
      this.#go(nth);
    });
  }
}

it("a turn that OpenClaw has asked again ends when its agent has, also after a second broken answer", async () => {
  const session = new Session([50, 30, 10]);
  keepRetriedTurn(session);
  expect(await session.prompt("go")).toBe("go begun");
  expect(session.done).toEqual(["run 0", "run 1", "run 2"]);
});

it("the error of a turn stays OpenClaw's, and one of the wait is none of the turn's", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const failing = new Session([]);
  failing.prompt = () => Promise.reject(new Error("no model"));
  keepRetriedTurn(failing);
  await expect(failing.prompt("go")).rejects.toThrow("no model");
  const broken = new Session([5]);
  broken.waitForRetry = () => Promise.reject(new Error("gone"));
  keepRetriedTurn(broken);
  expect(await broken.prompt("go")).toBe("go begun");
});

it("a later release, which waits itself, is left alone", () => {
  const { agent, ...session } = new Session([]);
  const later = { ...session, agent: { waitForIdle: agent.waitForIdle } };
  const { prompt } = later;
  keepRetriedTurn(later);
  expect(later.prompt).toBe(prompt);
});
