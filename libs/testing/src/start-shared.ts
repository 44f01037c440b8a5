/** Starts what files of tests share. @returns what one of them needs to use it, as JSON, and how it ends */
export type StartShared = () => Promise<{ access(): Promise<unknown>; end(): Promise<void> }>;

/** Started, or on its way. */
export type Started = ReturnType<StartShared>;

/** Ends it; one that could not be started has nothing to end. */
export async function endStarted(started: Started): Promise<void> {
  const one = await started.catch(() => undefined);
  await one?.end();
}
