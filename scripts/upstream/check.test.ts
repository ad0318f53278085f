import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/patching/base/hash.ts";
import { checkPullRequest, SECTIONS } from "./check.ts";
import type { Contents } from "./contents.ts";
import type { PullRequest } from "./pull-request.ts";

const SOURCE = ["// one", "// two", "// three", "export const limit: number = 1;", "// five", ""].join("\n");
const PATH = "src/limit.ts";
const DIFF = `diff --git a/${PATH} b/${PATH}
--- a/${PATH}
+++ b/${PATH}
@@ -2,4 +2,4 @@
 // two
 // three
-export const limit: number = 1;
+export const limit: number = 2;
 // five
diff --git a/src/limit.test.ts b/src/limit.test.ts
new file mode 100644
--- /dev/null
+++ b/src/limit.test.ts
@@ -0,0 +1 @@
+export const tested: boolean = true;
`;
const DESCRIPTION = SECTIONS.map((section) => `\n## ${section}\n\ntext\n`).join("");

function request(changes: Partial<PullRequest> = {}): PullRequest {
  const source = [{ repository: "openclaw/openclaw", commit: "c".repeat(40), path: PATH, sha256: sha256(SOURCE) }];
  const meta = {
    id: "01",
    subject: "subject",
    description: "description",
    origin: "vendor",
    bug: [],
    forwarded: "no",
    appliedUpstream: null,
    lastUpdate: "2026-11-22",
    dropWhen: "merged",
    replaces: [],
    releases: "all",
  };
  return { name: "01-limit", folder: "", meta, source, diff: DIFF, description: DESCRIPTION, ...changes };
}

const have =
  (text: string): Contents =>
  async () =>
    text;

async function failures(changes: Partial<PullRequest>, text = SOURCE): Promise<string> {
  return (await checkPullRequest(request(changes), have(text))).failures.join("\n");
}

describe("checkPullRequest", () => {
  it("accepts a diff that applies to what it was made against", async () => {
    const { failures: found, applied, unchecked, productionLines } = await checkPullRequest(request(), have(SOURCE));
    expect({ found, applied, unchecked, productionLines }).toEqual({
      found: [],
      applied: 1,
      unchecked: [],
      productionLines: 2,
    });
  });

  it("reports contents that are not the ones the diff was made against", async () => {
    expect(await failures({}, `${SOURCE}// six\n`)).toContain(`expected contents with sha256 ${sha256(SOURCE)}`);
  });

  it("reports context that has drifted, even where the change itself would still fit", async () => {
    const drifted = SOURCE.replace("// two", "// too");
    const [file] = request().source;
    const source = [{ ...file!, sha256: sha256(drifted) }];
    expect(await failures({ source }, drifted)).toContain(`${PATH}:2: expected "// two"; found "// too"`);
  });

  it("reports a hunk that fits only at another line", async () => {
    const moved = `// zero\n${SOURCE}`;
    const [file] = request().source;
    expect(await failures({ source: [{ ...file!, sha256: sha256(moved) }] }, moved)).toContain(`${PATH}:2: expected`);
  });

  it("reports an outcome that is no TypeScript", async () => {
    expect(await failures({ diff: DIFF.replace("number = 2;", "number = = 2;") })).toContain(PATH);
  });

  it("reports a missing section of PR.md", async () => {
    expect(await failures({ description: DESCRIPTION.replace("## Evidence", "## Proof") })).toContain('"## Evidence"');
  });

  it("reports a file that is changed but not named in source.json", async () => {
    expect(await failures({ source: [] })).toContain(`${PATH} is changed but not named`);
  });

  it("reports a change without a test", async () => {
    expect(await failures({ diff: DIFF.slice(0, DIFF.indexOf("diff --git a/src/limit.test.ts")) })).toContain(
      "expected a test",
    );
  });

  it("reports a change that is too large for one pull request", async () => {
    const added = Array.from({ length: 160 }, (_, at) => `+// ${at}`).join("\n");
    const diff = DIFF.replace("@@ -2,4 +2,4 @@", "@@ -2,4 +2,164 @@").replace(" // five\n", ` // five\n${added}\n`);
    expect(await failures({ diff })).toContain("162 changed lines of production code");
  });

  it("reports more lines of theirs than a diff needs", async () => {
    const lines = Array.from({ length: 9 }, (_, at) => ` // ${at}`).join("\n");
    const diff = DIFF.replace("@@ -2,4 +2,4 @@", "@@ -2,13 +2,13 @@").replace(" // two\n", `${lines}\n // two\n`);
    expect(await failures({ diff })).toContain("lines of theirs in a row");
  });

  it("reports a diff whose numbers do not fit its lines", async () => {
    expect(await failures({ diff: DIFF.replace("@@ -2,4 +2,4 @@", "@@ -2,9 +2,4 @@") })).not.toBe("");
  });

  it("counts contents that cannot be had as not checked, not as wrong", async () => {
    const { failures: found, unchecked } = await checkPullRequest(request(), async () => undefined);
    expect(found).toEqual([]);
    expect(unchecked).toEqual([`${PATH} at cccccccccccc`]);
  });
});
