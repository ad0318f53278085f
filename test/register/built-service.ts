/**
 * Prints the service file that an installed OpenClaw writes, by its own builder: the one that its chunk exports, or in
 * releases whose chunk is no module of its own, the bundled source file that has it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [root = "", builder = "", options = "{}"] = process.argv.slice(2);
const dist = join(root, "dist");
const found = readdirSync(dist)
  .filter((name) => /\.m?js$/.test(name))
  .map((name) => ({ file: join(dist, name), text: readFileSync(join(dist, name), "utf8") }))
  .find(({ text }) => text.includes(`function ${builder}`));
if (found === undefined) throw new Error(`expected ${builder} in ${dist}; found none`);
const { file, text } = found;
const exported = new RegExp(`${builder} as (\\w+)`).exec(text.slice(text.lastIndexOf("\nexport {")))?.[1];
const url = exported === undefined ? inline(text) : pathToFileURL(file).href;
const build = ((await import(url)) as Record<string, (options: unknown) => string>)[exported ?? "build"]!;
process.stdout.write(build(JSON.parse(options)), () => process.exit(0));

function inline(chunk: string): string {
  const at = chunk.indexOf(`function ${builder}`);
  const source = chunk.slice(chunk.lastIndexOf("//#region", at), chunk.indexOf("//#endregion", at));
  const local = new RegExp(`function (${builder}(?:\\$\\d+)?)\\(`).exec(chunk)?.[1];
  return `data:text/javascript,${encodeURIComponent(`${source}\nexport { ${local} as build };`)}`;
}
