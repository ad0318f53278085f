import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTitled } from "../../../harness/gateway/titled.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { readBirth } from "../../base/processes.ts";
import { findGateways, readPsLine } from "./gateways.ts";

it("a gateway is found by its title, with its start and where its sessions are: a patch after that start does nothing for it", async () => {
  const before = Date.now();
  const { pid } = await startTitled({
    PATH: process.env["PATH"],
    HOME: "/home/somebody",
    OPENCLAW_STATE_DIR: "/srv/state",
    OPENCLAW_INTEGRITY: "off",
  });
  const found = findGateways()?.find((one) => one.pid === pid);
  expect(found).toMatchObject({ stateDirectory: "/srv/state", env: { OPENCLAW_INTEGRITY: "off" } });
  // Linux counts the seconds since its own start.
  expect(Math.abs(found!.since! - before)).toBeLessThan(60_000);
});

it.runIf(process.platform === "linux")(
  "a gateway under the name of any command (2026.4.29) is found by the lock that it has, and another command is not",
  async () => {
    const temporary = newFolder();
    const env = { PATH: process.env["PATH"], TMPDIR: temporary, OPENCLAW_STATE_DIR: "/srv/state" };
    const { pid } = await startTitled(env, "openclaw");
    const find = () => findGateways()?.find((one) => one.pid === pid);
    expect(find()).toBeUndefined();
    const locks = join(temporary, `openclaw-${process.getuid!()}`);
    mkdirSync(locks);
    const lock = (content: object): void =>
      writeFileSync(join(locks, "gateway.94811eed.lock"), JSON.stringify(content));
    lock({ pid, createdAt: new Date().toISOString(), startTime: 1 });
    // The lock of an earlier process with this id.
    expect(find()).toBeUndefined();
    lock({ pid, createdAt: new Date().toISOString(), startTime: Number(readBirth(pid!)) });
    expect(find()).toMatchObject({ stateDirectory: "/srv/state" });
  },
);

it.each([
  [" 4242    02:03 openclaw-gateway   ", 4242, 123],
  ["7 1-02:03:04 openclaw-gateway", 7, ((24 + 2) * 60 + 3) * 60 + 4],
  ["8 05:01:02 /usr/bin/node /usr/lib/node_modules/openclaw/openclaw.mjs gateway run --port 1", 8, 18_062],
])("a line of ps is read: %s", (line, pid, seconds) => {
  expect(readPsLine(line, 1_000_000_000)).toEqual({ pid, since: 1_000_000_000 - seconds * 1000 });
});

it.each([
  "9 02:03 vim openclaw-gateway",
  "9 02:03 /usr/bin/node /usr/lib/node_modules/openclaw/openclaw.mjs gateway restart",
  "9 02:03 grep openclaw-gateway",
  "openclaw-gateway",
  "",
])("what is no gateway is not taken for one: %s", (line) => {
  expect(readPsLine(line)).toBeUndefined();
});
