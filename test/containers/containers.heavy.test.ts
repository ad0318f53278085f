/**
 * Each RUN line and the command of the examples for containers, as they stand, in a root of its own: without a
 * container engine, and with the system folders of this machine for those of the base image.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { findNpmCli } from "../../src/patching/find/node.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { environmentOf, instructionsOf, service } from "./files.ts";
import { canMakeRoots, makeRoot, putApp, runIn } from "./root.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const NPM_ROOT = "/usr/local/lib/node_modules/openclaw";
const CONFIG = {
  gateway: { mode: "local", bind: "lan", controlUi: { allowedOrigins: ["http://127.0.0.1:18789"] } },
};

let tarball = "";
let root = "";
beforeAll(async () => {
  const folder = newFolder();
  const npm = findNpmCli();
  const args = [npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  tarball = join(folder, execFileSync(process.execPath, args, { cwd: REPOSITORY, encoding: "utf8" }).trim());
});

/** The build variables, and what this machine's npm needs to reach its registry. */
function buildEnvironment(): Record<string, string> {
  const registry = execFileSync(process.execPath, [findNpmCli(), "config", "get", "registry"], { encoding: "utf8" });
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  return {
    HOME: "/root",
    PACKAGE: "/tmp/package.tgz",
    npm_config_registry: registry.trim(),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

async function build(file: string): Promise<string> {
  copyFileSync(tarball, join(root, "tmp", "package.tgz"));
  let text = "";
  for (const { name, rest } of instructionsOf(file)) {
    if (name !== "RUN") continue;
    const done = await runIn(root, rest, { user: "root", cwd: "/", env: buildEnvironment(), network: "registry" });
    expect(done, `RUN ${rest}`).toMatchObject({ code: 0 });
    text += done.text;
  }
  return text;
}

/** Starts what compose.yaml starts, as it starts it, until its healthcheck is content. Returns the log. */
async function gateway(env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  const { command, healthcheck, environment, tmpfs } = service();
  const state = join(root, "home", "node", ".openclaw");
  // What onboarding writes.
  writeFileSync(join(state, "openclaw.json"), JSON.stringify(CONFIG), { mode: 0o600 });
  execFileSync("chown", ["1000:1000", join(state, "openclaw.json")]);
  const [kind, ...words] = healthcheck.test;
  expect(kind).toBe("CMD");
  const line = [
    `${shell(command)} > /tmp/log 2>&1 & pid=$!`,
    `n=0; until ${shell(words)}; do n=$((n + 1)); [ $n -lt 120 ] || break; kill -0 $pid || break; sleep 1; done`,
    `${shell(words)} && echo HEALTHY; (echo x > /app/x) 2>&1 || echo "root is read-only"; kill $pid; wait $pid; cat /tmp/log`,
  ].join("\n");
  const { text } = await runIn(root, line, {
    user: "node",
    cwd,
    env: { ...env, HOME: environment["HOME"] ?? "", OPENCLAW_GATEWAY_TOKEN: "token-of-the-test" },
    network: "none",
    writable: ["/home/node/.openclaw"],
    tmpfs,
  });
  return text;
}

function shell(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

function distOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".mjs") || name.endsWith(".js"));
  return sha256(files.map((name) => sha256(readFileSync(join(folder, name)))).join());
}

describe.skipIf(!canMakeRoots())(`OpenClaw ${LATEST}, without a container engine`, () => {
  test("applied when the image is built: proven there, and it runs as node with a read-only root", async () => {
    root = newFolder();
    makeRoot(root);
    putApp(root, (await ensureRelease(LATEST)).stock);
    // OpenClaw finishes its installation at its first start, in its own folder, unless its postinstall has done it.
    const first = await runIn(root, "openclaw --version", {
      user: "root",
      cwd: "/app",
      env: { HOME: "/root" },
      network: "none",
    });
    expect(first, "the first start").toMatchObject({ code: 0 });
    const before = readdirSync(join(root, "tmp"));
    expect(await build("Dockerfile.apply")).toContain("proven: ");
    // What root leaves there, the user of the image cannot use.
    expect(readdirSync(join(root, "tmp")).filter((name) => !before.includes(name))).toEqual(["package.tgz"]);
    expect(existsSync(join(root, "app", "dist", "openclaw-integrity.mjs"))).toBe(true);
    const log = await gateway(environmentOf(instructionsOf("Dockerfile.apply")), "/app");
    expect(log).toContain("HEALTHY");
    expect(log).toContain("root is read-only");
  });

  test("registered when it is run, on the published package: no file changed, the cache is in the volume", async () => {
    root = newFolder();
    makeRoot(root);
    await build("Dockerfile.npm");
    await build("Dockerfile.register");
    const dist = join(root, "own", "local", "lib", "node_modules", "openclaw", "dist");
    const before = distOf(dist);
    const log = await gateway(environmentOf(instructionsOf("Dockerfile.register")), NPM_ROOT);
    expect(log).toContain("HEALTHY");
    expect(log).toContain(`OpenClaw ${LATEST} runs patched from memory`);
    expect(distOf(dist)).toBe(before);
    expect(readdirSync(join(root, "home", "node", ".openclaw", "integrity", "register"))).toHaveLength(1);
  });
});
