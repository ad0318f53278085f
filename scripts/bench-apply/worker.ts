/** One round in a process of its own: read, apply, and take it back again. */
import { apply, revert } from "../../src/patching/apply.ts";
import { chunksWith } from "../../src/patching/locate/chunks.ts";
import { NEEDLES } from "../../src/patching/points/index.ts";

const [root = ""] = process.argv.slice(2);

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

// Once unmeasured: otherwise the first reader would pay for the disk and the second would not.
chunksWith(root, NEEDLES);
const readMs = timed(() => chunksWith(root, NEEDLES));
const applyMs = timed(() => apply(root));
revert(root);
console.log(JSON.stringify({ readMs, applyMs }));
