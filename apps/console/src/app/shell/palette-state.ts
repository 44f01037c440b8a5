import { createSpotlight } from '@mantine/spotlight';

/** The command palette, which anything may open. */
export const [paletteStore, palette] = createSpotlight();

/** Opens the command palette. */
export function openPalette(): void {
  palette.open();
}
