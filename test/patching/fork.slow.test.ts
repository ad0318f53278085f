import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { apply, revert, status, verify } from "../../src/patching/apply.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { explain } from "../../src/patching/explain.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { project, rename, STUB_GUARD, hashTree } from "./fixture.ts";

const stub = { guard: STUB_GUARD };
const fork = { guard: STUB_GUARD, fork: true };
const CONTENTS = "dist/postinstall-content-inventory.json";

/** Changes three of the patched files, and OpenClaw's own list of contents too when its build has made that anew. */
function changeThree(root: string, files: readonly string[], { isListed }: { readonly isListed: boolean }): void {
  for (const name of files.slice(0, 3)) {
    const file = join(root, name);
    const text = `${readFileSync(file, "utf8")}\n// changed by acme\n`;
    writeFileSync(file, text);
    if (isListed) list(root, name, text);
  }
}

function list(root: string, name: string, text: string): void {
  const file = join(root, CONTENTS);
  const entries = JSON.parse(readFileSync(file, "utf8")) as { path: string }[];
  const listed = entries.map((entry) =>
    entry.path === name ? { ...entry, sha256: sha256(text), size: Buffer.byteLength(text) } : entry,
  );
  writeFileSync(file, `${JSON.stringify(listed, null, 2)}\n`);
}

function refusal(work: () => unknown): PatchError {
  try {
    work();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("not refused");
}

describe("a fork of OpenClaw", () => {
  it("that was changed after it was patched is built anew, or taken as it is now: no registry has it", async () => {
    for (const isListed of [true, false]) {
      const { root, files } = await project("2026.9.6");
      changeThree(root, files, { isListed });
      apply(root, fork);
      const [first] = files;
      const file = join(root, first!);
      const later = (text: string): string => `${text}// later\n`;
      writeFileSync(file, later(readFileSync(file, "utf8")));
      expect(refusal(() => verify(root, stub)).message).toContain("changed since");
      expect(refusal(() => revert(root)).message).toMatch(/Build it anew; or, .*apply --fork and then revert/);
      apply(root, fork);
      revert(root);
      expect(readFileSync(file, "utf8")).toMatch(/\/\/ changed by acme\n\/\/ later\n$/);
      expect(readFileSync(file, "utf8")).not.toContain("openclaw-integrity");
    }
  });

  it.each([
    { of: "2026.9.6", version: "2026.9.6", isListed: true },
    { of: "2026.9.6", version: "2026.9.6", isListed: false },
    { of: "2026.9.6", version: "2026.9.6-acme.1", isListed: true },
    { of: "2026.2.3", version: "2026.2.3+acme", isListed: false },
  ] as const)(
    "$version (lists made anew: $isListed) is patched as it is when that is asked for, and given back byte for byte",
    async ({ of, version, isListed }) => {
      const { root, files } = await project(of);
      changeThree(root, files, { isListed });
      if (version !== of) rename(root, version);
      const before = hashTree(root);
      const report = apply(root, fork);
      expect(report).toMatchObject({
        action: "applied",
        state: "patched",
        known: false,
        release: version,
        leftOut: [],
      });
      expect(report.fork?.of).toBe(of);
      expect(report.fork?.files.map(({ file, difference }) => [file, difference])).toEqual(
        files
          .slice(0, 3)
          .toSorted()
          .map((file) => [file, "changed"]),
      );
      // Without the option from now on: its inserted lines say what it is.
      expect(verify(root, stub).fork).toEqual(report.fork);
      expect(apply(root, stub).action).toBe("already");
      expect(apply(root, { guard: `${STUB_GUARD}// newer\n` }).action).toBe("updated");
      expect(verify(root, { guard: `${STUB_GUARD}// newer\n` }).state).toBe("patched");
      revert(root);
      expect(hashTree(root)).toEqual(before);
      expect(revert(root)).toEqual([]);
    },
  );

  it("is refused without that, unchanged, by a message that names the way", async () => {
    const { root, files } = await project("2026.9.6");
    changeThree(root, files, { isListed: true });
    const before = hashTree(root);
    for (const work of [() => apply(root, stub), () => status(root, stub)]) {
      const { code, message } = refusal(work);
      expect(code).toBe("openclaw-modified");
      expect(message).toContain("apply --fork");
    }
    expect(hashTree(root)).toEqual(before);
    const explained = explain(root);
    expect(explained.outcome).toBe("refused");
    expect(explained.todo).toMatch(/its code fits: .*apply --fork/);
    expect(explained.fork?.files).toHaveLength(3);
  });

  it("with a change in the very statement is refused with the reason and the place, also by explain", async () => {
    const { root, files } = await project("2026.9.6");
    const name = files.find((file) => file.includes("compact"))!;
    writeFileSync(
      join(root, name),
      readFileSync(join(root, name), "utf8").replaceAll("sanitizeSessionHistory(", "acmeHistory("),
    );
    const before = hashTree(root);
    const { code, message } = refusal(() => apply(root, fork));
    expect(code).toBe("point-mismatch");
    expect(message).toMatch(/history-load.*0 calls of sanitizeSessionHistory.* in dist\/compact-.* at line \d+/);
    expect(explain(root).todo).toMatch(/As a fork .* it is refused too: .* in dist\/compact-.* at line \d+/);
    expect(hashTree(root)).toEqual(before);
  });

  it("that is as published is none, and is patched as ever", async () => {
    const { root } = await project("2026.9.6");
    const report = apply(root, fork);
    expect(report).toMatchObject({ known: true, action: "applied" });
    expect(report.fork).toBeUndefined();
    expect(apply(root, stub).action).toBe("already");
  });

  it("whose patched file is changed afterwards is given back in no wrong form", async () => {
    const { root, files } = await project("2026.9.6");
    changeThree(root, files, { isListed: true });
    apply(root, fork);
    const file = join(root, files[0]!);
    writeFileSync(file, `${readFileSync(file, "utf8")}// and again\n`);
    expect(refusal(() => revert(root)).code).toBe("openclaw-modified");
    expect(status(root, stub).state).toBe("outdated");
  });
});
