import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { MOST_NEW, newReleases, publishedVersions } from "./registry.ts";

const KNOWN = ["2026.1.29", "2026.9.5", "2026.9.6"];
let server: Server | undefined;
afterEach(() => server?.close());

/** The real npm against a registry that answers with this. */
async function asked(status: number, body: string): Promise<unknown> {
  server = createServer((_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const folder = newFolder();
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: folder,
    npm_config_fetch_retries: "0",
  };
  return publishedVersions(folder, env);
}

function packument(versions: readonly string[]): string {
  const entries = versions.map((version) => [
    version,
    { name: "openclaw", version, dist: { tarball: "http://127.0.0.1/" } },
  ]);
  return JSON.stringify({
    name: "openclaw",
    "dist-tags": { latest: versions[0] },
    versions: Object.fromEntries(entries),
  });
}

test("new are the stable versions that nobody recorded, oldest first, of any year", () => {
  const answer = [
    "0.0.1",
    "2026.1.28",
    "2027.1.3",
    "2026.9.6",
    "2026.10.1-beta.1",
    "2026.9.6-1",
    "2026.10.1",
    "2026.10.1",
  ];
  expect(newReleases(answer, KNOWN)).toEqual(["2026.9.6-1", "2026.10.1", "2027.1.3"]);
  expect(newReleases(KNOWN, KNOWN)).toEqual([]);
});

test.each([
  ["a path", "../../2026.10.1"],
  ["an option of npm or git", "--upload-pack=x"],
  ["a line that ends", "2026.10.1\n"],
  ["an escape of the terminal", "2026.10.1\u001b[2J"],
  ["a number", 2026],
])("an entry that is %s and no version refuses the whole answer, and is shown harmlessly", (_, entry) => {
  expect(() => newReleases(["2026.10.1", entry], KNOWN)).toThrow(/found an entry that is no version/);
  try {
    newReleases([entry], KNOWN);
  } catch (error) {
    // oxlint-disable-next-line no-control-regex
    expect((error as Error).message).not.toMatch(/[\u0000-\u001f]/);
  }
});

test("versions of the form of no release are not new: no month 13, no leading zero", () => {
  expect(newReleases(["2026.13.1", "1999.1.1", "2026.10.1000", "2026.0.1"], KNOWN)).toEqual([]);
});

test("an answer that is no list, or far too long, is refused", () => {
  for (const answer of [null, {}, "2026.10.1", 7]) expect(() => newReleases(answer, KNOWN)).toThrow(/no list/);
  expect(() =>
    newReleases(
      Array.from({ length: 30_000 }, () => "1.0.0"),
      KNOWN,
    ),
  ).toThrow(/found 30000 entries/);
  const many = Array.from({ length: MOST_NEW + 1 }, (__, at) => `2026.10.${at}`);
  expect(() => newReleases(many, KNOWN)).toThrow(/found 21 stable ones/);
  expect(newReleases(many.slice(1), KNOWN)).toHaveLength(MOST_NEW);
});

test("the versions come from the registry that npm asks, also when there is only one", async () => {
  expect(await asked(200, packument(["2026.9.6", "2026.10.1"]))).toEqual(["2026.9.6", "2026.10.1"]);
  server?.close();
  expect(await asked(200, packument(["2026.9.6"]))).toEqual(["2026.9.6"]);
});

test.each([
  ["that knows no such package", 404, "{}"],
  ["that is broken", 500, "no"],
  ["that answers with half a document", 200, '{"name": "openclaw", "versions": {'],
])("a registry %s is refused in words, and nothing was done", async (_, status, body) => {
  await expect(asked(status, body)).rejects.toThrow(/^expected npm view openclaw versions.*Nothing was done\./s);
});
