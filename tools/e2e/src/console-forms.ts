import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';

/** Chooses a file of recipients in the page of a new bulk send; it always has the same name. */
export async function chooseFile(page: Page, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
}

/** The present code of a second factor, or the next: taken from now on for half a minute at least, and for a minute. */
export function codeOf(seed: string, step: 0 | 1): string {
  return new TOTP({ secret: seed }).generate({ timestamp: Date.now() + step * 30_000 });
}
