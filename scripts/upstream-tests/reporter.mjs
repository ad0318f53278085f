/**
 * Reporter for the Vitest of OpenClaw's own tree: appends each finished test file to $UPSTREAM_TESTS_OUT as one line of
 * JSON, so that what is done stays known when a later file hangs or the run is killed.
 */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { relative, sep } from "node:path";

export default class {
  onTestModuleEnd(module) {
    const file = relative(process.cwd(), module.moduleId).split(sep).join("/");
    const tests = [...module.children.allTests()].map((test) => {
      const { state, errors } = test.result();
      return { name: test.fullName, state, ...(errors?.length > 0 && { why: firstLine(errors[0]) }) };
    });
    const errors = module.errors();
    const line = { file, state: module.state(), tests, ...(errors.length > 0 && { why: firstLine(errors[0]) }) };
    write(line);
  }

  // An error outside of a test fails no test: a handle that goes wrong after the last one.
  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) write({ outside: errors.map(firstLine) });
  }
}

function write(line) {
  appendFileSync(process.env.UPSTREAM_TESTS_OUT, `${JSON.stringify(line)}\n`);
}

function firstLine({ message = "" }) {
  const line = String(message).split("\n", 1)[0].slice(0, 300);
  // The page is for others: it names no folder of this machine.
  return line.replaceAll(process.cwd(), ".").replaceAll(tmpdir(), "<tmp>");
}
