import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isPrivateGroup } from "./private-group.ts";

/** The groups and users of this machine, as it says them itself. */
const rows = (file: string): string[][] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(":"));

it.runIf(process.platform === "linux")(
  "a group is private to those who are in it by their own group or by name, and to nobody who is not all of them",
  () => {
    const users = rows("/etc/passwd");
    for (const [, , gid, names = ""] of rows("/etc/group")) {
      if (gid === "0") continue;
      const members = [
        ...users.filter((user) => user[3] === gid).map((user) => Number(user[2])),
        ...names.split(",").flatMap((name) => users.filter((user) => user[0] === name).map((user) => Number(user[2]))),
      ];
      expect([gid, isPrivateGroup(Number(gid), members)]).toEqual([
        gid,
        names.split(",").every((name) => name === "" || users.some((user) => user[0] === name)),
      ]);
      if (members.length > 0)
        expect([
          gid,
          isPrivateGroup(
            Number(gid),
            members.slice(0, -1).filter((uid) => uid !== members.at(-1)),
          ),
        ]).toEqual([gid, false]);
    }
    expect([isPrivateGroup(0, []), isPrivateGroup(59_871, [])]).toEqual([true, true]);
  },
);
