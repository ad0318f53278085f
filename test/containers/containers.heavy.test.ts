/**
 * Each RUN line of the examples for containers, and the command and healthcheck of compose.yaml, as they stand: without
 * a container engine, on a fresh Debian.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { build, packPackage, shell } from "./build.ts";
import { readEnvironment, parseDockerfile, service } from "./files.ts";
import { canMakeContainers, findFile, type Image, makeBase, makeContainer, runIn, withApp } from "./root.ts";

const NPM_ROOT = "/usr/local/lib/node_modules/openclaw";
const CONFIG = {
  gateway: { mode: "local", bind: "lan", controlUi: { allowedOrigins: ["http://127.0.0.1:18789"] } },
};

let tarball = "";
let base: Image = [];
beforeAll(() => {
  if (!canMakeContainers()) return;
  tarball = packPackage();
  base = makeBase();
});

/** Starts what compose.yaml starts, as it starts it, until its healthcheck is content. Returns the log and the state. */
async function compose(
  image: Image,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly log: string; readonly state: string }> {
  const { command, healthcheck, environment, tmpfs, read_only: isReadOnly, volumes } = service();
  const state = newFolder();
  // What onboarding writes.
  writeFileSync(join(state, "openclaw.json"), JSON.stringify(CONFIG), { mode: 0o600 });
  execFileSync("chown", ["-R", "1000:1000", state]);
  const [kind, ...words] = healthcheck.test;
  expect(kind).toBe("CMD");
  const line = [
    `${shell(command)} > /tmp/log 2>&1 & pid=$!`,
    `n=0; until ${shell(words)}; do n=$((n + 1)); [ $n -lt 120 ] || break; kill -0 $pid || break; sleep 1; done`,
    `${shell(words)} && echo HEALTHY; for file in /home/node/x /tmp/x /home/node/.cache/x; do (echo x > $file) && echo "wrote $file"; done`,
    "kill $pid; wait $pid; cat /tmp/log",
  ].join("\n");
  const { text } = await runIn(makeContainer(image), line, {
    user: "node",
    cwd,
    env: { ...env, HOME: environment["HOME"] ?? "", OPENCLAW_GATEWAY_TOKEN: "token-of-the-test" },
    network: "none",
    isReadOnly,
    volumes: Object.fromEntries(volumes.map((volume) => [volume.slice(volume.indexOf(":") + 1), state])),
    tmpfs,
  });
  // The folder is the user's own: only the file system is in the way.
  expect(text).toContain("cannot create /home/node/x: Read-only file system");
  expect(text).toContain("wrote /tmp/x\nwrote /home/node/.cache/x");
  return { log: text, state };
}

function hashDist(image: Image): string {
  const folder = findFile(image, `${NPM_ROOT}/dist`) ?? "";
  const files = readdirSync(folder).filter((name) => name.endsWith(".mjs") || name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(100);
  return sha256(files.map((name) => sha256(readFileSync(join(folder, name)))).join());
}

describe.skipIf(!canMakeContainers())(`OpenClaw ${LATEST}, without a container engine`, () => {
  test("applied when the image is built: proven there, and it runs as node with a read-only root", async () => {
    const app = withApp(base, (await ensureRelease(LATEST)).stock);
    const { image, text } = await build(app, "Dockerfile.apply", tarball);
    expect(text).toContain("proven: ");
    // What root leaves there, the user of the image cannot use.
    expect(readdirSync(join(image[0] ?? "", "tmp"))).toEqual([]);
    expect(findFile(image, "app/dist/openclaw-integrity.mjs")).toBeDefined();
    const { log } = await compose(image, readEnvironment(parseDockerfile("Dockerfile.apply")), "/app");
    expect(log).toContain("HEALTHY");
  });

  test("registered when it is run, on the published package: no file changed, the cache is in the volume", async () => {
    const npm = await build(base, "Dockerfile.npm", tarball);
    const { image } = await build(npm.image, "Dockerfile.register", tarball);
    const before = hashDist(npm.image);
    const { log, state } = await compose(image, readEnvironment(parseDockerfile("Dockerfile.register")), NPM_ROOT);
    expect(log).toContain("HEALTHY");
    expect(log).toContain(`OpenClaw ${LATEST} runs patched from memory`);
    expect(hashDist(npm.image)).toBe(before);
    expect(findFile([image[0] ?? ""], `${NPM_ROOT}/dist`)).toBeUndefined();
    expect(readdirSync(join(state, "integrity", "register"))).toHaveLength(1);
  });
});
