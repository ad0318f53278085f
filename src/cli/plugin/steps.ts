/** The keys of OpenClaw's config that the plugin needs, and how their changes are undone. */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isObject, type ConfigDraft, type Spot } from "./config-file.ts";
import type { Json, KeyPath } from "./config-text.ts";
import { pluginError } from "./errors.ts";
import { isPlugin, PLUGIN_ID } from "./folder.ts";
import type { Changes, Step } from "./record.ts";

/** The wanted state of the config. */
export interface Wanted {
  /** The folder to load; undefined when OpenClaw finds the plugin by itself. */
  readonly folder: string | undefined;
  /** The folder of an earlier installation. */
  readonly formerly: string | undefined;
  readonly enables: boolean;
  /** Whether to set the key that lets the plugin read conversations; only where this OpenClaw accepts it. */
  readonly grantsConversations: boolean;
  /** Whether the agent gets the tools for unfinished work. */
  readonly continuity: boolean;
  readonly timeTravel: boolean;
  /** Whether the files of workspaces are captured for time travel. */
  readonly files: boolean;
  readonly keepPatched: boolean;
}

const ENTRY: KeyPath = ["plugins", "entries", PLUGIN_ID];
const PATHS: KeyPath = ["plugins", "load", "paths"];
const ALLOW: KeyPath = ["plugins", "allow"];

/**
 * Changes the draft and returns the changes; none when the config is already as wanted. Throws `plugins-off` and
 * `plugin-denied` where the user has decided against the plugin.
 */
export function changeConfig(draft: ConfigDraft, wanted: Wanted): Changes {
  checkAllowed(draft);
  const [steps, made, had]: [Step[], Spot[], Spot[]] = [[], [], []];
  const change = (step: Step): void => {
    for (const spot of listContainers(draft, step.key)) {
      if (draft.at(spot) === undefined) made.push(spot);
      else if (![...made, ...had].some((known) => isDeepStrictEqual(known, spot))) had.push(spot);
    }
    apply(draft, step);
    steps.push(step);
  };
  const paths = textsAt(draft, PATHS);
  const foreign = paths.filter((path) => path !== wanted.folder && (path === wanted.formerly || isPlugin(path)));
  for (const item of foreign) change({ do: "drop", key: PATHS, spot: draft.spot(PATHS), item });
  if (wanted.folder !== undefined && !paths.includes(wanted.folder))
    change({ do: "add", key: PATHS, spot: draft.spot(PATHS), item: wanted.folder });
  const set = (key: KeyPath, after: Json): void => {
    const spot = draft.spot(key);
    const before = draft.at(spot);
    if (draft.get(key) !== after) change({ do: "set", key, spot, ...(before !== undefined && { before }), after });
  };
  if (wanted.enables || draft.get([...ENTRY, "enabled"]) === false) set([...ENTRY, "enabled"], true);
  if (wanted.grantsConversations) set([...ENTRY, "hooks", "allowConversationAccess"], true);
  if (wanted.continuity) set([...ENTRY, "config", "continuity", "enabled"], true);
  if (wanted.keepPatched) set([...ENTRY, "config", "keepPatched", "enabled"], true);
  if (wanted.timeTravel) set([...ENTRY, "config", "timeTravel", "enabled"], true);
  if (wanted.files) set([...ENTRY, "config", "timeTravel", "files"], true);
  // An empty list allows all; one with our id alone would turn every other plugin off.
  const allowed = textsAt(draft, ALLOW);
  if (allowed.length > 0 && !allowed.includes(PLUGIN_ID))
    change({ do: "add", key: ALLOW, spot: draft.spot(ALLOW), item: PLUGIN_ID });
  return { steps, made, had };
}

/**
 * Undoes the changes of an installation in the draft, and returns what that changes. Later changes by the user are
 * kept.
 */
export function undoChanges(draft: ConfigDraft, { steps, made, had }: Changes): readonly Step[] {
  const back: Step[] = [];
  const change = (step: Step): void => void (apply(draft, step), back.push(step));
  const wasEntryMade = made.some(({ at }) => at.at(-1) === PLUGIN_ID);
  for (const step of steps.toReversed()) {
    const now = draft.at(step.spot);
    if (step.do !== "set") {
      const isThere = Array.isArray(now) && now.includes(step.item);
      if (isThere === (step.do === "add")) change({ ...step, do: step.do === "add" ? "drop" : "add" });
    } else if (now === step.after && !(wasEntryMade && step.key.includes(PLUGIN_ID))) {
      change({ do: "set", key: step.key, spot: step.spot, before: now, after: step.before ?? null });
      if (step.before === undefined) draft.remove(step.spot);
    }
  }
  for (const spot of made.toReversed()) {
    const now = draft.at(spot);
    const isEntry = spot.at.at(-1) === PLUGIN_ID;
    // OpenClaw refuses a config with an entry of a missing plugin, so the plugin's entry is removed with all later
    // additions.
    if (now !== undefined && isEntry) back.push({ do: "set", key: ENTRY, spot, before: now, after: null });
    if (now !== undefined && (isEntry || isEmpty(now))) draft.remove(spot);
  }
  for (const spot of had)
    if (draft.at(spot) === undefined)
      draft.set(spot, spot.at.at(-1) === "paths" || spot.at.at(-1) === "allow" ? [] : {});
  return back;
}

/** Formats a change: the key, its old and its new value. */
export function formatStep(step: Step, configFile: string): string {
  const place = step.spot.file === configFile ? "" : ` (in ${basename(step.spot.file)})`;
  const what =
    step.do === "set"
      ? `${shown(step.before)} -> ${shown(step.after ?? undefined)}`
      : `${step.do === "add" ? "+" : "-"} ${step.item}`;
  return `  ${step.key.join(".")}: ${what}${place}`;
}

function shown(value: Json | undefined): string {
  return value === undefined || value === null ? "(not set)" : JSON.stringify(value);
}

function checkAllowed(draft: ConfigDraft): void {
  const { file } = draft;
  if (draft.get(["plugins", "enabled"]) === false) {
    throw pluginError("plugins-off", {
      expected: "plugins to be enabled in OpenClaw's config",
      found: `plugins.enabled: false in ${file}, which turns all plugins off`,
      todo:
        "Set it to true, which also turns on other configured plugins, then run the command again; " +
        "nothing was changed.",
    });
  }
  if (textsAt(draft, ["plugins", "deny"]).includes(PLUGIN_ID)) {
    throw pluginError("plugin-denied", {
      expected: `${PLUGIN_ID} not to be denied`,
      found: `it is in plugins.deny in ${file}`,
      todo: "Remove it there, then run the command again; nothing was changed.",
    });
  }
}

/** Returns changes as JSON. */
export function dataOfSteps(steps: readonly Step[]): readonly object[] {
  return steps.map(({ key, spot, ...rest }) => ({ key: key.join("."), file: spot.file, ...rest }));
}

function apply(draft: ConfigDraft, step: Step): void {
  if (step.do === "set") draft.set(step.spot, step.after);
  else if (step.do === "add") draft.add(step.spot, step.item);
  else draft.remove(step.spot, step.item);
}

/** Returns the objects and lists that contain a key's value, the outermost first. */
function listContainers(draft: ConfigDraft, key: KeyPath): readonly Spot[] {
  const isList = key === PATHS || key === ALLOW;
  return key.slice(0, isList ? undefined : -1).map((_, index) => draft.spot(key.slice(0, index + 1)));
}

function textsAt(draft: ConfigDraft, key: KeyPath): readonly string[] {
  const value = draft.get(key);
  return Array.isArray(value) ? value.filter((one: Json) => typeof one === "string") : [];
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
