import { expect, it } from "vitest";
import { isGateway } from "./gateway-argv.ts";

it.each([
  ["gateway", true],
  ["gateway run", true],
  ["gateway --port 18789", true],
  ["gateway run --force", true],
  ["--profile work gateway", true],
  ["--dev gateway --allow-unconfigured", true],
  ["--version", false],
  ["", false],
  ["gateway --help", false],
  ["gateway status", false],
  ["gateway install --port 1", false],
  ["gateway call health", false],
  ["agent --message gateway", false],
  ["--profile work agent -m gateway", false],
  ["config set gateway", false],
])("openclaw %s: a gateway that speaks of itself: %s", (words, is) => {
  expect(isGateway(["node", "openclaw.mjs", ...words.split(" ").filter((word) => word !== "")])).toBe(is);
});
