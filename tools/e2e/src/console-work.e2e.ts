import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser } from 'playwright-core';
import { appClient, signedInClient } from './app-client.js';
import { exported, launchBrowser, openConsole, openPage, signIn, type WatchedPage } from './console-browser.js';
import { chooseFile, codeOf, settledRecipients } from './console-forms.js';
import { ownerOf, personOf, type Person } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const SOON = { deadlineMs: 60_000 };
const PASSWORD = 'correct horse 7 battery staple';
/** Shown as it is, never run. */
const HOSTILE = '<img src=x onerror=alert(1)>';

describe('work in the console', () => {
  let all: UsableStack;
  let browser: Browser;
  let owner: Person;
  let member: Person;
  let api: ReturnType<typeof appClient>;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    owner = ownerOf(all.stack);
    member = personOf(all.stack, 'MEMBER');
    api = await signedInClient(all.baseUrl, owner);
  });

  afterAll(async () => {
    await browser?.close();
  });

  async function signedIn(person: Person): Promise<WatchedPage> {
    const opened = await openConsole(browser, all.baseUrl);
    await signIn(opened.page, person);
    return opened;
  }

  it('sends in bulk from a file: bad rows by number, a look at real messages, then to the last recipient', async () => {
    const { page, complaints } = await signedIn(member);
    await openPage(page, '/bulk-sends/new');
    await page.getByRole('combobox', { name: /^Template/ }).click();
    await page.getByRole('option', { name: 'order_confirmation (en_US)' }).click();
    await chooseFile(page, 'Phone;Name;Order\n+14155550100;Ada;A-1\nnonsense;Bob;A-2\n');
    await page.getByText('Row 3 “nonsense” is no phone number').waitFor();
    expect(await page.locator('input[type=file]').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    // Looks like a number here; only the API knows that there is none like it.
    await chooseFile(page, 'Phone,Name,Order\n+14155550100,Ada,A-1\n+1999,Bob,A-2\n');
    await page.getByRole('button', { name: 'Send 2 messages' }).click();
    await page.getByText('Row 3 “+1999” must be a phone number').waitFor();
    const rows = ['1', '2', '1'].map((line) => `+1415555019${line},${HOSTILE},A-${line}`);
    await chooseFile(page, ['Phone,Name,Order', ...rows].join('\n'));
    await page.getByText(/^Takes 3 of/).waitFor(); // Until then those of the file before are shown.
    await page.getByText('The first messages').waitFor();
    expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(2);
    // A date without a time: to the page an empty value, as if it were to start at once.
    const start = page.getByLabel('Start', { exact: true });
    await start.pressSequentially('01022030');
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    expect(await start.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await start.fill('2030-01-02T09:30');
    await page.getByRole('button', { name: /^Schedule 3 messages for Jan 2, 2030, 9:30\sAM$/ }).waitFor();
    await start.fill('');
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    await page.waitForURL(/\/bulk-sends\/c\w+$/);
    await page.getByText('Completed', { exact: true }).waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    expect((await api.get(`/app/api/templates/send/${id}`)).body).toMatchObject({ status: 'COMPLETED', total: 3 });
    const items = await settledRecipients(api, id);
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'The same person is in the file before' }).waitFor();
    expect(await exported(page)).toEqual({
      name: `recipients-${id}.csv`,
      rows: [
        'number,to,status,reason,messageId',
        ...items.map(({ to, status, reason, messageId }, index) =>
          [index + 1, to, status, reason, messageId].join(','),
        ),
      ],
    });
    expect(items.map(({ reason }) => reason)).toEqual([null, null, 'DUPLICATE']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('pauses a bulk send, resumes it, and cancels the rest', async () => {
    const template = all.stack.devJson.organizations?.[0]?.templates?.find(({ variables }) => variables === 0);
    const recipients = Array.from({ length: 5 }, (_, index) => ({ to: `+1415555021${index}` }));
    const body = { templateId: template?.id, recipients, throttlePerHour: 6 };
    const { body: job } = await api.post('/app/api/templates/send', body);
    const statusOf = async (): Promise<unknown> =>
      (await api.get(`/app/api/templates/send/${job?.id ?? ''}`)).body?.['status'];
    const { page, complaints } = await signedIn(member);
    await openPage(page, `/bulk-sends/${job?.id ?? ''}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await statusOf()).toBe('PAUSED');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    await eventually(async () => (await statusOf()) === 'CANCELED', SOON);
    await page.reload();
    await page.getByText('The bulk send was canceled').first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('tests a channel, keeps its keywords, makes another the default, disconnects and reconnects one', async () => {
    const { page, complaints } = await signedIn(owner);
    const channels = async () => (await api.get('/app/api/channels')).body?.items ?? [];
    const first = (await channels()).find(({ isDefault }) => isDefault === true);
    const line = await all.simulator.addLine('token-of-the-corner-shop');
    const { status, body: other } = await api.post('/app/api/channels', line);
    expect(status).toBe(201);
    const named = async () => (await channels()).find(({ id }) => id === other?.id);
    await openPage(page, '/settings/channels');
    const card = page.getByRole('region', { name: String(other?.['name']) });
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText(/^The provider accepts the token/).waitFor();
    await card.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('More opt-out keywords').fill('BASTA');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await named()).toMatchObject({ optOutKeywords: ['BASTA'] });
    await card.getByRole('button', { name: 'Make default' }).click();
    await card.getByText('Default', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await card.getByText('Disconnected').waitFor();
    expect(await named()).toMatchObject({ isDefault: true, status: 'DISCONNECTED' });
    await page.reload();
    await card.getByRole('button', { name: 'Reconnect' }).click();
    await dialog.getByLabel('New access token').fill('a token that the provider does not know');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Not saved').waitFor();
    expect(await named()).toMatchObject({ status: 'DISCONNECTED' });
    await dialog.getByLabel('New access token').fill(line.accessToken);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Connected', { exact: true }).waitFor();
    expect(await named()).toMatchObject({ status: 'CONNECTED', isDefault: true });
    await page.reload();
    await card.getByText('Connected', { exact: true }).waitFor();
    await api.ask('PATCH', `/app/api/channels/${first?.id ?? ''}`, { isDefault: true });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('filters the audit log, and exports what fits the filter', async () => {
    const { body: key } = await api.post('/app/api/api-keys', { label: HOSTILE, scopes: ['messages:send'] });
    await api.post(`/app/api/api-keys/${key?.id ?? ''}/revoke`);
    const { page, complaints } = await signedIn(owner);
    await openPage(page, '/settings/audit-log');
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'API key revoked' }).click();
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByText('API key created').first().waitFor({ state: 'detached' });
    await table.getByText('API key revoked').first().waitFor();
    const { items = [] } = (await api.get('/app/api/audit-log?action=api-key.revoked&limit=100')).body ?? {};
    const { name, rows } = await exported(page);
    const [headings = '', ...entries] = rows;
    expect([name, headings]).toEqual(['audit-log.csv', 'sequence,at,action,actor,address,traceId,before,after,hash']);
    expect(entries.map((entry) => entry.split(',')[2])).toEqual(entries.map(() => 'api-key.revoked'));
    expect(entries.map((entry) => entry.split(',')[0])).toEqual(
      expect.arrayContaining(items.map(({ sequence }) => String(sequence))),
    );
    expect(rows.join('\n')).toContain(key?.id);
    expect(items.length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('invites a new person, who joins, works in the role given, and is removed', async () => {
    const { page, complaints } = await signedIn(owner);
    await openPage(page, '/settings/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    const email = `eve.${Date.now()}@people.example`;
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('The invitation is ready').waitFor();
    const link = /http\S+#\S+/.exec(await dialog.innerText())?.[0] ?? '';
    await dialog.getByRole('button', { name: 'Done' }).click();
    const visitor = await openConsole(browser, all.baseUrl);
    await visitor.page.goto(link);
    await visitor.page.getByLabel('Your name').fill(HOSTILE);
    await visitor.page.locator('input[name=password]').fill(PASSWORD);
    await visitor.page.getByRole('button', { name: 'Join' }).click();
    await visitor.page.getByRole('button', { name: /^Account of/ }).waitFor();
    expect(await visitor.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: email });
    await row.getByText(HOSTILE).waitFor();
    await row.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('button', { name: 'Remove member' }).click();
    await row.waitFor({ state: 'detached' });
    const { body } = await api.get('/app/api/members');
    expect(JSON.stringify(body)).not.toContain(email);
    // Home asks again by itself.
    await visitor.page.getByText('Your session has ended').waitFor();
    expect([...complaints, ...visitor.complaints]).toEqual([]);
    await Promise.all([page.context().close(), visitor.page.context().close()]);
  });

  it('asks for the second factor that a person enabled, and takes each recovery code once', async () => {
    const { page, complaints } = await signedIn(member);
    const dialog = page.getByRole('dialog');
    await openPage(page, '/settings/account');
    await page.getByRole('button', { name: 'Enable second factor' }).click();
    await dialog.getByLabel('Present password').fill(member.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByLabel('Code').waitFor();
    const seed = (await dialog.locator('code').first().innerText()).trim();
    await dialog.getByLabel('Code').fill(codeOf(seed, 0));
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Keep your recovery codes').waitFor();
    const [recovery = ''] = (await dialog.locator('pre').innerText()).trim().split('\n');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Recovery codes left: 10').waitFor();
    const enter = async (code: () => string): Promise<void> => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.locator('input[name=email]').fill(member.email);
      await page.locator('input[name=password]').fill(member.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter(() => codeOf(seed, 1));
    await page.getByRole('button', { name: /^Account of/ }).waitFor();
    await enter(() => recovery);
    await page.getByRole('button', { name: /^Account of/ }).waitFor();
    await enter(() => recovery);
    await page.getByText('Sign-in refused').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
