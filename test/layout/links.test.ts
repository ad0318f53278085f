/** Links between the pages that are published: npm shows them, and a reader of the package has no repository. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = (JSON.parse(packed) as [{ files: { path: string }[] }])[0].files.map(({ path }) => path);
const pages = files.filter((path) => path.endsWith(".md") && !path.startsWith("dist/"));

const readPage = (page: string): string => readFileSync(join(ROOT, page), "utf8").replaceAll(/^```[^]*?^```/gm, "");

/** The ids that GitHub and npm give to the headings of a page. */
function listAnchors(page: string): ReadonlySet<string> {
  const headings = readPage(page).matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/\]\([^)]*\)/g, "]")
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** What a page of the package may lead to: its files, and measurements, which only the repository has. */
const isThere = (target: string): boolean =>
  files.some((file) => file === target || file.startsWith(`${target}/`)) ||
  (target.startsWith("results/") && existsSync(join(ROOT, target)));

it("every link of a published page leads to a file of the package or a measurement, and to a heading that is there", () => {
  const dead = pages.flatMap((page) =>
    [...readPage(page).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^(?:https?|mailto):/.test(link))
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : normalize(join(dirname(page), path)).replace(/\/$/, "");
        if (!isThere(target)) return true;
        return anchor !== undefined && target.endsWith(".md") && !listAnchors(target).has(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(dead.join("\n")).toBe("");
});
