/** How the command palette is opened on a system. */
export interface PaletteKey {
  /** As people read it. */
  readonly label: string;
  /** As `aria-keyshortcuts` has it. */
  readonly shortcut: string;
  /** Whether this press is it. */
  matches(press: KeyPress): boolean;
}

/** What of a keyboard event counts. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Cmd-K on Apple's systems, where Ctrl-K deletes to the end of a line; Ctrl-K elsewhere. @param platform `navigator.platform` */
export function paletteKeyOf(platform: string): PaletteKey {
  const isApple = /^(Mac|iPhone|iPad)/.test(platform);
  return {
    label: isApple ? '⌘ K' : 'Ctrl K',
    shortcut: isApple ? 'Meta+K' : 'Control+K',
    matches: ({ key, ctrlKey, metaKey, altKey, shiftKey }) =>
      key.toLowerCase() === 'k' && metaKey === isApple && ctrlKey !== isApple && !altKey && !shiftKey,
  };
}
