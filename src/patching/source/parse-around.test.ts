import { expect, test } from "vitest";
import { type Node, asNodes } from "./ast.ts";
import { parseAround } from "./parse-around.ts";

const SOURCE = `import { a } from "./a.mjs";
import {
	b
} from "../b.mjs";
//#region src/one.ts
const other = 1;
function before() {
	return 1;
}
async function wanted() {
	if (a) {
		await needle({
			x: 1
		});
	}
	return \`text\`;
}
function after() {}
const short = needle(1);
export { wanted as w };
`;
const texts = (tree: Node | undefined): readonly string[] | undefined =>
  tree && asNodes(tree["body"]).map(({ start, end }) => SOURCE.slice(start, end).split("\n")[0] ?? "");

test("the imports and the statements around the needles are kept where they are, and nothing else", () => {
  expect(texts(parseAround(SOURCE, ["needle("]))).toEqual([
    'import { a } from "./a.mjs";',
    "import {",
    "async function wanted() {",
    "const short = needle(1);",
  ]);
});

test("what cannot be cut apart is left to a parse of the whole", () => {
  expect(
    parseAround("async function wanted() {\n\tconst t = `\ncolumn zero`;\n\tneedle(2);\n}\n", ["needle("]),
  ).toBeUndefined();
});
