import { createSpotlight } from '@mantine/spotlight';
import { isPageHeld } from '../../api/held-page.js';
import { paletteKeyOf, type PaletteKey } from './palette-key.js';

/** The command palette, which anything may open. */
export const [paletteStore, palette] = createSpotlight();

/** Its key in this browser. */
export const paletteKey: PaletteKey = paletteKeyOf(navigator.platform);

/** Opens the command palette; not over what is shown this once, which its commands would leave. */
export function openPalette(): void {
  if (!isPageHeld()) palette.open();
}

/** Pages without a session: there is nothing to go to. */
const OUTSIDE = /^\/app\/(sign-in|accept-invite)/;

/**
 * Opens the palette by its key from the first moment on, in fields too: what is pressed while the session is still being read
 * opens it once it is there. The state is kept here, and the palette draws it.
 */
export function watchPaletteKeys(): void {
  addEventListener('keydown', (event) => {
    if (!paletteKey.matches(event) || OUTSIDE.test(location.pathname)) return;
    event.preventDefault();
    openPalette();
  });
}
