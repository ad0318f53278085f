/** A move in a workspace whose disk has no room for the file that is to come back. Run by attacks.test.ts. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Scene } from "./workspace.ts";

const scene = new Scene(process.argv[2]);
const at = (name: string): string => join(scene.workspace, name);
const noise = (size: number): Uint8Array => crypto.getRandomValues(new Uint8Array(size));

writeFileSync(at("large.bin"), Buffer.concat(Array.from({ length: 20 }, () => noise(60_000))));
const start = scene.say();
await scene.batch(() => {
  rmSync(at("large.bin"));
  writeFileSync(at("large.bin"), "empty");
  writeFileSync(at("other.txt"), "other");
});
try {
  for (;;) writeFileSync(at("filler.bin"), noise(60_000), { flag: "a" });
} catch {
  // The disk is full.
}
let code = "none";
await scene.move(start).catch((error: unknown) => {
  code = (error as { code?: string }).code ?? String(error);
});
const files = Object.fromEntries(
  Object.entries(scene.files()).map(([name, content]) => [name, name === "filler.bin" ? "filler" : content]),
);
const left = readdirSync(scene.workspace).filter((name) => name.startsWith(".openclaw"));
console.log(JSON.stringify({ code, files, left }));
scene.close();
