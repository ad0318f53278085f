import { CodedError, describeError } from "../../base/coded-error.ts";
import { StoreError } from "../../store/errors.ts";
import type { Progress, RemoteAnswer, RemoteCall } from "./remote.ts";

/** Shortest time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 500;

/** The receiving end of {@link RemoteCalls}: executes the calls one after the other. */
export function answerCalls(methods: object, post: (answer: RemoteAnswer) => void): (call: RemoteCall) => void {
  let last: Promise<void> = Promise.resolve();
  return (call) => {
    last = last.then(async () => post(await answer(methods as Record<string, Method>, call, post)));
  };
}

type Method = (argument: unknown, onProgress: Progress) => unknown;

async function answer(
  methods: Record<string, Method>,
  { id, method, argument }: RemoteCall,
  post: (answer: RemoteAnswer) => void,
): Promise<RemoteAnswer> {
  let reportedAt = performance.now();
  const onProgress = (done: number, total: number): void => {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    post({ id, progress: { done, total } });
  };
  try {
    return { id, value: await methods[method]?.(argument, onProgress) };
  } catch (error) {
    const code =
      error instanceof CodedError ? { code: String(error.code), isOfStore: error instanceof StoreError } : {};
    return { id, failure: { ...code, message: describeError(error) } };
  }
}
