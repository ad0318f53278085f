import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";

/** A part of a proof, that a process of its own runs and writes its figures of. */
export interface Job {
  /** Unique; its files are named by it. */
  name: string;
  part: "recorded" | "corpus" | "recovery" | "random-providers" | "soak";
  /** Its share of the time, beside those of the others. */
  share: number;
  /** Of a soak. */
  release?: string;
}

/** What a job does with its minutes. */
export interface Sized {
  /** In words, for the report. */
  size: string;
  /** Script and arguments for Node, without the file that it writes. */
  args: string[];
}

// A soak that is killed is made again, so that none is longer.
const SOAK_MINUTES = 60;
// Its conversations come to their end, and are asked twice more.
const SETTLE_MINUTES = 3;
// A gateway that four conversations use has a core for itself.
const CONVERSATIONS = 6;
const SHARES = { corpus: 12, recovery: 12, "random-providers": 12, soak: 64 } as const;
const ALL_SHARES = Object.values(SHARES).reduce((sum, share) => sum + share, 0);
const PROVIDERS = 100_000;

/** How much of the corpus and of the live faults is run in which time, both releases, on two cores without other work. */
const SIZES = {
  corpus: [
    { minutes: 30, size: "each case on each API", args: ["--all"] },
    { minutes: 8, size: "each case on one API", args: ["--only", "."] },
    { minutes: 0, size: "the three incidents", args: ["--only", "^q-"] },
  ],
  recovery: [
    { minutes: 25, size: "all", args: [] },
    { minutes: 0, size: "a sample", args: ["--sample"] },
  ],
} as const;

/** The jobs of a proof of so many minutes: the short ones first, the soaks of the releases in turn. */
export function makeJobs(minutes: number): Job[] {
  const perRelease = (minutes * SHARES.soak) / ALL_SHARES / BASE_RELEASES.length;
  const rounds = Math.max(1, Math.ceil(perRelease / SOAK_MINUTES));
  const soaks = Array.from({ length: rounds }, (_, round) =>
    BASE_RELEASES.map((release): Job => ({
      name: `soak-${release}-${round + 1}`,
      part: "soak",
      release,
      share: SHARES.soak / rounds / BASE_RELEASES.length,
    })),
  );
  return [
    { name: "recorded", part: "recorded", share: 0 },
    ...(["corpus", "recovery", "random-providers"] as const).map((part): Job => ({
      name: part,
      part,
      share: SHARES[part],
    })),
    ...soaks.flat(),
  ];
}

const main = (folder: string): string => `scripts/${folder}/main.ts`;

/** What is run for a job in so many minutes. */
export function sizeJob({ name, part, release = "" }: Job, minutes: number, seed: string): Sized {
  const rounded = Math.max(1, minutes).toFixed(1);
  switch (part) {
    case "recorded":
      return { size: "all", args: ["scripts/proof/recorded.ts"] };
    case "corpus":
    case "recovery": {
      const { size, args } = SIZES[part].find((one) => one.minutes <= minutes) ?? SIZES[part].at(-1)!;
      return { size, args: part === "corpus" ? [main("start"), "--release", "all", ...args] : [main(part), ...args] };
    }
    case "random-providers":
      return {
        size: `${rounded} minutes`,
        args: [main(part), "--count", String(PROVIDERS), "--minutes", rounded, "--seed", seed],
      };
    case "soak": {
      const soaked = Math.max(1, minutes - SETTLE_MINUTES).toFixed(1);
      const given = ["--release", release, "--minutes", soaked, "--conversations", String(CONVERSATIONS)];
      return { size: `${soaked} minutes`, args: [main(part), ...given, "--seed", `${seed}/${name}`] };
    }
  }
}
