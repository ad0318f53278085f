/** The packed library in runtimes that are not Node: what a `node:` import or a global of Node's breaks there. */
import { expect, it } from "vitest";
import { measureRuntimes } from "./measure.ts";

const measured = await measureRuntimes(["Node 24", "Bun", "Deno", "Cloudflare's workerd"], () => {});

it.each(measured.map((one) => [one.name, one] as const))("%s gives what Node 24 gives, byte for byte", (_name, one) => {
  // A runtime that is not on this machine says nothing.
  expect(one.faults).toEqual([]);
  expect(one.hash ?? measured[0]!.hash).toBe(measured[0]!.hash);
});
