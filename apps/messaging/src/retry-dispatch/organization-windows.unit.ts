import { describe, expect, it } from '@jest/globals';
import { OrganizationWindows } from './organization-windows.js';

describe('the retries that an organization may have under way', () => {
  it('are none while its share was found full, then few, and all again soon after they begin', () => {
    const windows = new OrganizationWindows(16);
    const open = (nowMs: number): number => 16 - (windows.taken(new Map(), nowMs).get('full') ?? 0);
    expect(open(0)).toBe(16);
    for (let refused = 0; refused < 5; refused++) windows.foundFull('full', 0);
    expect([open(0), open(249), open(250)]).toEqual([0, 0, 1]);
    windows.foundFull('full', 300);
    expect([open(300), open(550)]).toEqual([0, 1]);
    const sizes = [1, 2, 3, 4].map(() => (windows.begun('full'), open(600)));
    expect(sizes).toEqual([2, 4, 8, 16]);
  });

  it('count those under way as well, and are all again when it was found full long ago', () => {
    const windows = new OrganizationWindows(16);
    windows.foundFull('full', 0);
    const underway = new Map([
      ['full', 3],
      ['other', 5],
    ]);
    expect([...windows.taken(underway, 250)]).toEqual([
      ['full', 11],
      ['other', 5],
    ]);
    expect([...windows.taken(underway, 60_000)]).toEqual([...underway]);
  });
});
