import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { contentsFrom } from "./contents.ts";

const FILE = { repository: "openclaw/openclaw", commit: "abc", path: "src/a.ts", sha256: "" };

let cache = "";
beforeEach(() => {
  cache = newFolder();
});

function keep(text: string): void {
  const path = join(cache, FILE.commit, FILE.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test("takes the contents of the named commit from GitHub", async () => {
  const asked: string[] = [];
  const contents = contentsFrom(cache, async (url) => {
    asked.push(String(url));
    return new Response("from GitHub");
  });
  expect(await contents(FILE)).toBe("from GitHub");
  expect(asked).toEqual(["https://raw.githubusercontent.com/openclaw/openclaw/abc/src/a.ts"]);
});

test("offline, takes them from the cache and does not ask again", async () => {
  keep("kept");
  let asked = 0;
  const contents = contentsFrom(cache, async () => {
    asked += 1;
    throw new TypeError("fetch failed");
  });
  expect([await contents(FILE), await contents(FILE)]).toEqual(["kept", "kept"]);
  expect(asked).toBe(1);
});

test("has nothing to give when neither has the file", async () => {
  const contents = contentsFrom(cache, async () => new Response("not found", { status: 404 }));
  expect(await contents(FILE)).toBeUndefined();
});
