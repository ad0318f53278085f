import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SessionSummary, findTranscript } from "../store/index.ts";
import { ARCHIVES, readManifest } from "../store/archives/manifest.ts";
import { parseSessionId } from "../store/sessions/session-index.ts";
import { agentsIn } from "../store/state-directory.ts";
import type { Archive } from "./checkup.ts";
import { ownCommand } from "../base/commands/own-command.ts";
import { toMoment } from "../base/time.ts";

/**
 * Returns the archives that `sessions restore` accepts, the youngest first: copies beside the transcripts (to 2026.7)
 * and the files of `integrity-archives` (since 2026.8). The content of an archive is checked only when it is restored.
 * Archives that cannot be read are left out. Never throws.
 */
export function findArchives(stateDirectory: string, sessions: readonly SessionSummary[]): Archive[] {
  // The session index of an agent may name transcripts in other folders.
  const elsewhere = sessions.filter(({ kind }) => kind === "file").map(({ place }) => dirname(place));
  const folders = new Set([
    ...orNone(() => agentsIn(stateDirectory)).map((agent) => join(stateDirectory, "agents", agent, "sessions")),
    ...elsewhere,
  ]);
  const copies = [...folders].flatMap((folder) => namesIn(folder)).flatMap(copyAt);
  const manifests = namesIn(join(stateDirectory, ARCHIVES))
    .filter((path) => path.endsWith(".json"))
    .flatMap(manifestAt);
  return [...new Map([...copies, ...manifests].map((archive) => [archive.path, archive])).values()].toSorted(
    (one, other) => (other.at ?? 0) - (one.at ?? 0),
  );
}

function copyAt(path: string): Archive[] {
  const transcript = findTranscript(path);
  const found = transcript === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (transcript === undefined || !found?.isFile()) return [];
  return [
    {
      path,
      kind: "file",
      sessionId: parseSessionId(transcript),
      transcript,
      at: Math.floor(found.mtimeMs),
      size: found.size,
      command: restoreCommand(path),
    },
  ];
}

function manifestAt(path: string): Archive[] {
  return orNone(() => {
    const { sessionId, messages } = readManifest(path);
    return [
      {
        path,
        kind: "rows",
        sessionId,
        at: toMoment(statSync(path, { throwIfNoEntry: false })?.mtimeMs),
        messages,
        command: restoreCommand(path),
      },
    ];
  });
}

function restoreCommand(path: string): string {
  return ownCommand("sessions restore", { argument: path });
}

function namesIn(folder: string): string[] {
  return orNone(() => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []));
}

function orNone<Item>(read: () => readonly Item[]): Item[] {
  try {
    return [...read()];
  } catch {
    return [];
  }
}
