import { describe, expect, it } from '@jest/globals';
import { paletteKeyOf } from './palette-key.js';

describe('the key of the command palette', () => {
  const press = (key: string, ...held: readonly ('ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey')[]) => ({
    key,
    ctrlKey: held.includes('ctrlKey'),
    metaKey: held.includes('metaKey'),
    altKey: held.includes('altKey'),
    shiftKey: held.includes('shiftKey'),
  });

  it.each([
    ['Linux x86_64', 'ctrlKey', 'metaKey', 'Ctrl K', 'Control+K'],
    ['Win32', 'ctrlKey', 'metaKey', 'Ctrl K', 'Control+K'],
    ['MacIntel', 'metaKey', 'ctrlKey', '⌘ K', 'Meta+K'],
  ] as const)('on %s is %s and K alone', (platform, own, other, label, shortcut) => {
    const key = paletteKeyOf(platform);
    expect(key).toMatchObject({ label, shortcut });
    expect([key.matches(press('k', own)), key.matches(press('K', own))]).toEqual([true, true]);
    const others = [
      press('k'),
      press('k', other),
      press('k', own, other),
      press('k', own, 'shiftKey'),
      press('k', own, 'altKey'),
      press('p', own),
    ];
    expect(others.filter((one) => key.matches(one))).toEqual([]);
  });
});
