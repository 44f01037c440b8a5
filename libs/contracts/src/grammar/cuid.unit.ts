import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cuidFloor, cuidGenerator, cuidTime, isCuid, newCuid, newCuidAt } from './cuid.js';

const fill = (bytes: Uint8Array): void => void globalThis.crypto.getRandomValues(bytes);

describe('cuid', () => {
  it('only grows, within one millisecond and when the clock steps back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_050 }), { maxLength: 200 }),
        (times) => {
          let index = 0;
          const next = cuidGenerator({ now: () => times[index++] ?? 0, fill });
          const ids = times.map(() => next());
          expect(ids).toEqual([...new Set(ids)].sort());
        },
      ),
    );
  });

  it('takes the next millisecond when the random part is used up', () => {
    const next = cuidGenerator({ now: () => 1_700_000_000_000, fill: (bytes) => bytes.fill(251) });
    const [first, second] = [next(), next()];
    expect(first).toMatch(/zzzzzzzzzzzzzzzz$/);
    expect(second > first).toBe(true);
    expect(cuidTime(second).getTime()).toBe(1_700_000_000_001);
  });

  it('carries its time, sorts above its floor and has the accepted format', () => {
    const id = newCuid();
    expect(id).toMatch(/^c[0-9a-z]{24}$/);
    expect(isCuid(id)).toBe(true);
    expect(cuidFloor(cuidTime(id)) <= id).toBe(true);
    expect(Math.abs(cuidTime(id).getTime() - Date.now())).toBeLessThan(5_000);
  });

  it('carries the time of another clock, whole milliseconds of it, and grows within one', () => {
    const ids = [1_700_000_000_000.25, 1_700_000_000_000.75, 1_700_000_000_001.5].map((timeMs) => newCuidAt(timeMs));
    expect(ids.map((id) => cuidTime(id).getTime() - 1_700_000_000_000)).toEqual([0, 0, 1]);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids.filter((id) => !/^c[0-9a-z]{24}$/.test(id))).toEqual([]);
  });

  it('bounds no id by a moment that ids cannot carry', () => {
    const id = newCuid();
    for (const far of ['2059-06-01', '2060-01-01', '9999-12-31']) expect(cuidFloor(new Date(far)) > id).toBe(true);
    for (const early of ['0000-01-01', '1969-12-31', '1970-01-01'])
      expect(cuidFloor(new Date(early))).toBe('c00000000');
  });

  it.each(['', 'c12345', 'C1234567', 'x1234567', 'c1234567-', 'c' + 'a'.repeat(32), 7, null])('refuses %p', (value) => {
    expect(isCuid(value)).toBe(false);
  });
});
