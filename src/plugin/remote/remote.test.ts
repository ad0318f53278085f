import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { childProcess, RemoteCalls } from "./remote.ts";

/** What the process of the tests can do. */
interface Echo {
  say(words: string): string;
  wait(words: string): string;
}

/** Calls of a process that answers with what it is given, or not at all. */
function echo(idleMs?: number): RemoteCalls<Echo> {
  const file = join(newFolder(), "echo.mjs");
  writeFileSync(
    file,
    `process.on("message", ({ id, method, argument }) => method === "say" && process.send({ id, value: argument }));
     process.once("disconnect", () => process.exit());`,
  );
  return new RemoteCalls<Echo>(() => childProcess(pathToFileURL(file)), idleMs === undefined ? {} : { idleMs });
}

it("a call that comes while the idle process is being ended is answered by another one", async () => {
  const calls = echo(1);
  for (let nth = 0; nth < 12; nth++) {
    expect(await calls.call("say", `words-${nth}`)).toBe(`words-${nth}`);
    // The idle time ends somewhere in here, each time a little later.
    await sleep(nth % 4);
  }
  await calls.stop();
});

it("a call is answered by another process when it comes right after the last one was stopped", async () => {
  const calls = echo();
  await calls.call("say", "first");
  const stopped = calls.stop();
  expect(await calls.call("say", "second")).toBe("second");
  await stopped;
  await calls.stop();
});

it("a call under way is refused, with the reason, when its process is stopped", async () => {
  const calls = echo();
  await calls.call("say", "first");
  const waiting = calls.call("wait", "second");
  await Promise.all([expect(waiting).rejects.toThrow("ended (SIGKILL)"), calls.stop()]);
});
