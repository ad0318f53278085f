import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Scene } from "./workspace.ts";

describe("files of a workspace go back to an earlier place", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.close());
  const write = (path: string, content: string | Uint8Array): void => writeFileSync(scene.at(path), content);

  it("edited, created, deleted, renamed, binary, executable, links, odd names; the undo brings all of it back", async () => {
    write("edited.txt", "one\n");
    write("deleted.txt", "gone\n");
    write("old-name.txt", "the same\n");
    write("Case.txt", "case\n");
    write("tool.sh", "#!/bin/sh\n");
    write("photo.bin", Buffer.from([0, 1, 2, 255]));
    symlinkSync("edited.txt", scene.at("link"));
    write("becomes-folder", "file\n");
    const start = scene.say();
    const before = scene.files();
    await scene.batch(() => {
      write("edited.txt", "two\n");
      mkdirSync(scene.at("deep/er"), { recursive: true });
      write("deep/er/created.txt", "new\n");
      rmSync(scene.at("deleted.txt"));
      renameSync(scene.at("old-name.txt"), scene.at("new-name.txt"));
      renameSync(scene.at("Case.txt"), scene.at("case.txt"));
    });
    await scene.batch(() => {
      chmodSync(scene.at("tool.sh"), 0o755);
      write("photo.bin", Buffer.from([0, 9, 9]));
      rmSync(scene.at("link"));
      symlinkSync("/etc/passwd", scene.at("link"));
      rmSync(scene.at("becomes-folder"));
      mkdirSync(scene.at("becomes-folder"));
      write("becomes-folder/inside", "x");
      write("-rf", "dash");
      write("new\nline", "newline");
      write("back\\slash", "backslash");
      write('quo"te', "quote");
      write("ü", "not ASCII");
      writeFileSync(Buffer.concat([Buffer.from(scene.at("no-")), Buffer.from([0xff, 0xfe])]), "not UTF-8");
    });
    const after = scene.files();
    expect(after).not.toEqual(before);
    const { report, departure } = await scene.move(start);
    expect(scene.files()).toEqual(before);
    expect(report.conflicts).toEqual([]);
    expect(report.removed).toContain("deep/er/created.txt");
    await scene.move(departure);
    expect(scene.files()).toEqual(after);
  });

  it("what nobody of the session changed is not touched", async () => {
    write("mine.txt", "one");
    const start = scene.say();
    await scene.batch(() => write("mine.txt", "two"));
    write("person.txt", "a person's");
    await scene.batch(() => write("mine.txt", "three"));
    await scene.move(start);
    expect(scene.files()).toEqual({ "mine.txt": "one", "person.txt": "a person's" });
  });
});
