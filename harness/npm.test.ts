import { expect, test } from "vitest";
import { assertNode, findNpmCli, isNewEnough, withoutOuterNpm } from "./npm.ts";

test.each([
  ["v24.16.0", true],
  ["v24.21.0", true],
  ["26.1.0", true],
  ["v24.15.9", false],
  ["v22.22.3", false],
  ["v20.20.2", false],
])("Node %s: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

test("an old Node is told what to do", () => {
  expect(() => assertNode("v20.20.2")).toThrow(
    /expected Node 24\.16 or newer; found Node v20\.20\.2.*Run it through npm/,
  );
});

test("without npm in PATH it says so", () => {
  expect(() => findNpmCli({ PATH: "/nonexistent" })).toThrow(/expected npm in PATH/);
});

test("an npm that runs within another takes over no setting of that run, or `npm pack --pack-destination` of this package fails", () => {
  const kept = {
    npm_config_registry: "https://r.example/",
    npm_config_cache: "/c",
    "npm_config_//r.example/:_authToken": "t",
  };
  const left = {
    npm_config_pack_destination: "/d",
    npm_config_json: "true",
    npm_command: "pack",
    npm_lifecycle_event: "prepack",
  };
  expect(withoutOuterNpm({ PATH: "/bin", ...kept, ...left })).toEqual({ PATH: "/bin", ...kept });
});
