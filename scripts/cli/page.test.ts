import { Command } from "commander";
import { expect, it } from "vitest";
import { commandPages } from "./page.ts";

const program = new Command("tool");
program.command("patch").description("patch it").option("--force", "although it is running");
program.command("list").description("list all").argument("<what>", "what is listed");

it("shows each command with its argument or option, and its example", () => {
  const page = commandPages(program, ["patch --force", "list sessions"]);
  expect(page).toContain("**`patch`**: patch it.\n- `--force`: although it is running\n- `patch --force`");
  expect(page).toContain("**`list <what>`**: list all.\n- `what`: what is listed\n- `list sessions`");
});

it("refuses an example that a reader could not run, and a command without one", () => {
  expect(() => commandPages(program, ["patch --hard", "list sessions"])).toThrow("has --hard, which it does not know");
  expect(() => commandPages(program, ["patch"])).toThrow("expected one example of list");
  expect(() => commandPages(program, ["patch", "list sessions", "show"])).toThrow("found more");
});
