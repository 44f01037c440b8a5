import type { AppBody, AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';

/** Chooses a file of recipients in the page of a new bulk send; it always has the same name. */
export async function chooseFile(page: Page, content: string | Buffer): Promise<void> {
  const buffer = Buffer.from(content);
  await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
}

/** Chooses a template of two values, a name and an order, in the page of a new bulk send. */
export async function chooseTemplate(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: /^Template/ }).click();
  await page
    .getByRole('option', { name: /^order_confirmation/ })
    .first()
    .click();
}

/** The present code of a second factor, or the next: taken from now on for half a minute at least, and for a minute. */
export function codeOf(seed: string, step: 0 | 1): string {
  return new TOTP({ secret: seed }).generate({ timestamp: Date.now() + step * 30_000 });
}

/** The recipients of a bulk send once no status of theirs moves any more: until then two reads of them may differ. */
export function settledRecipients(api: AppClient, id: string): Promise<readonly AppBody[]> {
  return eventually(async () => {
    const { items = [] } = (await api.get(`/app/api/templates/send/${id}/recipients`)).body ?? {};
    return items.every(({ status }) => status !== 'QUEUED' && status !== 'SENT') && items;
  });
}
