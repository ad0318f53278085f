import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyToCheckout, checkoutStatus, revertCheckout } from "../../src/patching/checkout/apply.ts";
import { newCheckout } from "./checkout-fixture.ts";
import { STUB_GUARD, hashTree } from "./fixture.ts";

const stub = { guard: STUB_GUARD };
const MODULE = pathToFileURL(join(import.meta.dirname, "../../src/patching/checkout/apply.ts")).href;

/** Runs a command in a process that kills itself at a step; returns whether it got that far. */
function killedAt(step: number, root: string, command: "applyToCheckout" | "revertCheckout"): boolean {
  const script = `import { ${command} } from ${JSON.stringify(MODULE)};
let step = 0;
${command}(${JSON.stringify(root)}, { ...${JSON.stringify(stub)}, onStep: () => { if (step++ === ${step}) process.kill(process.pid, "SIGKILL"); } });`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  if (ran.signal !== "SIGKILL" && ran.status !== 0) throw new Error(ran.stderr);
  return ran.signal === "SIGKILL";
}

test.each(["applyToCheckout", "revertCheckout"] as const)(
  "kill -9 at every step of %s: either command finishes the work, byte for byte",
  (command) => {
    const root = newCheckout();
    const stock = hashTree(root);
    applyToCheckout(root, stub);
    const patched = hashTree(root);
    let steps = 0;
    for (; ; steps += 1) {
      if (command === "applyToCheckout") revertCheckout(root);
      else applyToCheckout(root, stub);
      if (!killedAt(steps, root, command)) break;
      // Every second time the other command takes over from there.
      if (steps % 2 === 0) {
        applyToCheckout(root, stub);
        expect(hashTree(root)).toEqual(patched);
      } else {
        revertCheckout(root);
        expect(hashTree(root)).toEqual(stock);
      }
    }
    expect(steps).toBeGreaterThan(7);
    expect(checkoutStatus(root, stub).state).toBe(command === "applyToCheckout" ? "patched" : "stock");
  },
);
