import { userInfo } from "node:os";
import { type Author, authorBy } from "../../../continuity/index.ts";

/** Returns the author of what a person writes at the command line: the user's name, unless another one is given. */
export function userAuthor(name?: string): Author {
  return authorBy("cli", name ?? userInfo().username);
}
