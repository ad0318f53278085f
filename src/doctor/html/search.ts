import { Markup } from "./markup.ts";

/**
 * The page's only script: it puts a button into each command that copies it, shows the search field, which is hidden
 * without it, and opens what a link points into. It writes nothing else but `hidden`, `open` and the number of matches.
 * The page is complete without it.
 */
export const SCRIPT = new Markup(`
(() => {
  for (const command of document.querySelectorAll(".command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    // Of a page that is a file too: not every browser gives one the clipboard otherwise.
    button.addEventListener("click", () => {
      const range = document.createRange();
      range.selectNodeContents(command);
      range.setStartAfter(button);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = document.execCommand("copy") ? "Copied" : "Select";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    command.prepend(button);
  }
  const box = document.getElementById("find"), overview = document.getElementById("overview");
  if (!box) return;
  const field = box.querySelector("input"), told = box.querySelector("output");
  const groups = [...document.querySelectorAll("details.group")].map((group) => ({ group, was: group.open, lines: [...group.querySelectorAll("li.s")] }));
  let texts, timer;
  const look = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    texts ??= new Map(groups.flatMap(({ lines }) => lines.map((line) => [line, (line.querySelector("summary") ?? line).textContent.toLowerCase()])));
    let all = 0;
    for (const { group, was, lines } of groups) {
      let found = 0;
      for (const line of lines) {
        const text = texts.get(line), is = words.every((word) => text.includes(word));
        if (line.hidden === is) line.hidden = !is;
        if (is) found++;
      }
      group.hidden = found === 0;
      group.open = words.length > 0 ? found > 0 : was;
      all += found;
    }
    overview.hidden = words.length > 0;
    told.textContent = words.length === 0 ? "" : all === 1 ? "1 session" : all + " sessions";
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 120); });
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  box.hidden = false;
})();
`);
