import { expect, test } from "vitest";
import { parse } from "yaml";
import { withoutGitHub } from "./lock-file.ts";

const KEY = "@whiskeysockets/libsignal-node@https://codeload.github.com/whiskeysockets/libsignal-node/tar.gz/1c30d7d";
const LOCK = `lockfileVersion: '9.0'

packages:

  '${KEY}':
    resolution: {tarball: https://codeload.github.com/whiskeysockets/libsignal-node/tar.gz/1c30d7d}
    version: 2.0.1

  curve25519-js@0.0.4:
    resolution: {integrity: sha512-a}

  protobufjs@6.8.8:
    resolution: {integrity: sha512-b}

  protobufjs@7.5.4:
    resolution: {integrity: sha512-c}

snapshots:

  baileys@7.0.0:
    dependencies:
      libsignal: '${KEY}'
      protobufjs: 7.5.4

  '${KEY}':
    dependencies:
      curve25519-js: 0.0.4
      protobufjs: 6.8.8
`;

test("an installation does not end at the one dependency that is not in the registry", () => {
  const lock = withoutGitHub(LOCK)!;
  expect(lock).not.toContain("github");
  expect(parse(lock)).toMatchObject({
    lockfileVersion: "9.0",
    packages: { "libsignal@6.0.0": { resolution: { integrity: expect.stringContaining("sha512-") } } },
    snapshots: {
      "baileys@7.0.0": { dependencies: { libsignal: "6.0.0", protobufjs: "7.5.4" } },
      "libsignal@6.0.0": { dependencies: { "curve25519-js": "0.0.4", protobufjs: "7.5.4" } },
    },
  });
  expect(withoutGitHub(lock)).toBeUndefined();
});

test("a lock file without what the other package needs is refused by name, not by a failing installation", () => {
  expect(() => withoutGitHub(LOCK.replaceAll("protobufjs@7.5.4", "protobufjs@8.0.0"))).toThrow("protobufjs@7");
});
