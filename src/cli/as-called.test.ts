import { expect, test } from "vitest";
import { asCalled } from "./as-called.ts";

const NPX = { npm_command: "exec", npm_config_user_agent: "npm/11.0.0 node/v24" };

test("a printed command keeps the OpenClaw that was chosen, and the way in which it was started", () => {
  const text = "OpenClaw is not patched. Run: openclaw-integrity apply";
  expect(asCalled(text, {}, {})).toBe(text);
  expect(asCalled(text, { global: true }, {})).toMatch(/Run: openclaw-integrity apply --global$/);
  expect(asCalled(text, { path: "/a folder" }, NPX)).toMatch(/Run: npx openclaw-integrity apply --path '\/a folder'$/);
  expect(
    asCalled("openclaw-integrity sessions repair one", { global: true }, { npm_config_user_agent: "pnpm/11" }),
  ).toBe("pnpm exec openclaw-integrity sessions repair --global one");
});

test("a command that takes no OpenClaw gets none, and one that is complete stays", () => {
  expect(asCalled("openclaw-integrity sessions scan", { global: true }, {})).toBe("openclaw-integrity sessions scan");
  for (const text of [
    "npx openclaw-integrity verify",
    "/usr/bin/openclaw-integrity apply",
    "openclaw-integrity apply --path /x",
    "openclaw-integrity: refused (busy)",
    "openclaw-integrity sessions repair-all",
    "openclaw-integrity applied it",
  ])
    expect(asCalled(text, { global: true }, NPX).replace(" --global", "")).toBe(
      text.startsWith("openclaw-integrity apply ") ? `npx ${text}`.replace("npx ", "") : text,
    );
  const twice = asCalled("openclaw-integrity verify", { global: true }, NPX);
  expect(asCalled(twice, { global: true }, NPX)).toBe(twice);
});
