/** What the example files for containers say, and what docs/distribution.md says of them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LATEST } from "../../src/patching/base/releases.ts";
import { readEnvironment, parseDockerfile, service } from "./files.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};
const BOTH = ["Dockerfile.apply", "Dockerfile.register"];

test.each(BOTH)(
  "%s names the latest release, this version, and ends as the user that OpenClaw's image runs as",
  (name) => {
    const instructions = parseDockerfile(name);
    expect(instructions).toContainEqual({ name: "ARG", rest: `OPENCLAW_IMAGE=ghcr.io/openclaw/openclaw:${LATEST}` });
    expect(instructions).toContainEqual({ name: "ARG", rest: `PACKAGE=openclaw-integrity@${manifest.version}` });
    expect(instructions.filter((one) => one.name === "USER").map(({ rest }) => rest)).toEqual(["root", "node"]);
  },
);

test("the hook of Dockerfile.register is the package's, and OpenClaw does not start without it", () => {
  const env = readEnvironment(parseDockerfile("Dockerfile.register"));
  const file = manifest.exports["./register"]?.default.slice(2);
  expect(env).toEqual({
    NODE_OPTIONS: `--import=file:///usr/local/lib/node_modules/openclaw-integrity/${file}`,
    OPENCLAW_INTEGRITY: "required",
  });
});

test("the state, where the hook keeps what it worked out, is in a volume: the rest cannot be written to", () => {
  const { read_only, volumes, tmpfs, build } = service();
  expect({ read_only, volumes, tmpfs }).toEqual({
    read_only: true,
    volumes: ["state:/home/node/.openclaw"],
    tmpfs: ["/tmp", "/home/node/.cache"],
  });
  expect(BOTH).toContain(build.dockerfile);
});
