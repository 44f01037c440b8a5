import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** About 1 µs each, and 150 bytes: the event loop is held for a few milliseconds. A report has 200,000 at most. */
const SLICE_PARTS = 1_000;

/**
 * A report as JSON, the same text as `JSON.stringify` makes of it. A large one is of 28 MB, which that writes in one go: here other requests have
 * their turn meanwhile.
 *
 * @param report of plain values, as the service's answer is parsed
 */
export async function jsonOf(report: object): Promise<string> {
  const slices: string[] = [];
  let parts: string[] = [];
  for (const part of partsOf(report)) {
    if (parts.push(part) < SLICE_PARTS) continue;
    slices.push(parts.join(''));
    parts = [];
    await yieldToOthers();
  }
  return slices.join('') + parts.join('');
}

/** What holds no list is small, and written at once. */
function* partsOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* partsOfList(value);
  else if (hasList(value)) yield* partsOfObject(value);
  else yield JSON.stringify(value ?? null);
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, one] of list.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(one);
  }
  yield ']';
}

function* partsOfObject(value: object): Generator<string> {
  let before = '{';
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    if (one === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(one);
    before = ',';
  }
  yield '}';
}

function hasList(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasList);
}
