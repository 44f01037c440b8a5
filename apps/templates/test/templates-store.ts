import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { UpstreamTemplate, UpstreamTemplatePage } from '@switchboard/contracts/messaging/template-rpc';
import { systemClock } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import type { TestServers } from '@switchboard/testing';
import { requestSync, type LeasedAccount } from '../src/account/account.repository.js';
import { DueAccounts } from '../src/account/due-accounts.js';
import { projectChannels, type AccountKey } from '../src/channel/channel.repository.js';
import { templatesMigrations } from '../src/migrations/all.js';
import { SyncAccount } from '../src/sync-accounts/sync-account.js';
import { TemplateRepository, foldName } from '../src/template/template.repository.js';
import type { TemplateRow } from '../src/template/template-view.js';

/** A page of the stubbed upstream: templates, and the cursor that follows it. */
export type StubPage = Omit<UpstreamTemplatePage, 'asOf'> & { readonly asOf?: string };

/** The schema of templates in a database of its own, with an upstream that answers what a test says. */
export class TemplatesStore {
  /** What the upstream lists, by cursor; '' is the first page. */
  pages: Record<string, StubPage | Error> = {};
  /** By the upstream's clock. */
  now = new Date('2026-03-01T12:00:00.000Z');
  /** The cursors asked for. */
  readonly asked: (string | null)[] = [];
  private accounts = 0;

  private constructor(readonly database: Database) {}

  static async open(servers: TestServers): Promise<TemplatesStore> {
    return new TemplatesStore(await (await servers.serviceDatabase('templates', templatesMigrations)).database());
  }

  /** A new organization with a channel of an account, which is due. */
  async account(): Promise<AccountKey & { readonly channelId: string }> {
    const account = { organizationId: newCuid(), businessAccountId: `10229${++this.accounts}` };
    const channelId = newCuid();
    await this.channel(account, { id: channelId, isDefault: true });
    await requestSync(this.database, [account]);
    return { ...account, channelId };
  }

  async channel(
    account: AccountKey,
    { id, isDefault }: { readonly id: string; readonly isDefault: boolean },
  ): Promise<void> {
    const facts = { phone: '+12015550181', status: 'CONNECTED', defaultRegion: 'US' } as const;
    await projectChannels(this.database, [{ ...account, ...facts, id, isDefault, sourceEventId: newCuid() }]);
  }

  /** Makes an account that a channel of `channel` belongs to known, and due. */
  async makeKnown(account: AccountKey): Promise<void> {
    await requestSync(this.database, [account]);
  }

  /** One run over the account, as the worker makes it. */
  async sync(account: AccountKey, stopping = new AbortController().signal): Promise<void> {
    await this.makeDue(account);
    await this.runner(stopping).execute(await this.claim(account), 300);
  }

  /** The list as one page. */
  lists(templates: readonly UpstreamTemplate[]): void {
    this.pages = { '': { templates, next: null } };
  }

  runner(stopping = new AbortController().signal): SyncAccount {
    const call = async (_rpc: unknown, _principal: unknown, { after }: { after: string | null }) => {
      this.asked.push(after);
      const page = this.pages[after ?? ''];
      if (!page || page instanceof Error) throw page ?? new Error(`no page ${after}`);
      return { asOf: this.now.toISOString(), ...page };
    };
    const rpc = { call } as unknown as ConstructorParameters<typeof SyncAccount>[1];
    return new SyncAccount(this.database, rpc, stopping);
  }

  /** Accounts that are due, as a replica claims them that has just started. */
  claimDue(limit: number, leaseOwner = newCuid()): Promise<LeasedAccount[]> {
    return new DueAccounts(this.database, systemClock).claim(leaseOwner, limit);
  }

  async claim({ organizationId }: AccountKey, leaseOwner = newCuid()): Promise<LeasedAccount> {
    const account = (await this.claimDue(100, leaseOwner)).find((one) => one.organizationId === organizationId);
    if (!account) throw new Error('the account is not due');
    return account;
  }

  async makeDue({ organizationId }: AccountKey): Promise<void> {
    await this.run(
      "UPDATE account SET next_sync_at = now() - interval '1 s', lease_until = NULL WHERE organization_id = $1",
      [organizationId],
    );
  }

  async accountRow({ organizationId }: AccountKey): Promise<Readonly<Record<string, unknown>>> {
    const [row] = await this.run('SELECT *, next_sync_at <= now() AS due FROM account WHERE organization_id = $1', [
      organizationId,
    ]);
    return row ?? {};
  }

  /** The templates of the organization, oldest first. */
  async templates({ organizationId }: AccountKey): Promise<TemplateRow[]> {
    const none = { businessAccountId: null, status: null, language: null, search: null, messagingChannelId: null };
    return (
      await new TemplateRepository(this.database).list(organizationId, { limit: 100, cursor: null, ...none }, 1_000)
    ).reverse();
  }

  async statuses(account: AccountKey): Promise<Record<string, string>> {
    return Object.fromEntries((await this.templates(account)).map(({ name, status }) => [name, status]));
  }

  /** The events of the organization, in the order of their commits. */
  async events({
    organizationId,
  }: AccountKey): Promise<EventEnvelope<{ template: { name: string; status: string }; previousStatus: string }>[]> {
    const rows = await this.run('SELECT payload FROM outbox ORDER BY position', []);
    return rows
      .map(({ payload }) => JSON.parse(String(payload)) as EventEnvelope<never>)
      .filter((envelope) => envelope.organizationId === organizationId);
  }

  async run(sql: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return this.database.dataSource.query(sql, [...values]);
  }
}

/** A template as the upstream lists it. */
export function listed(name: string, overrides: Partial<UpstreamTemplate> = {}): UpstreamTemplate {
  const components = [{ type: 'BODY', text: 'Hello {{1}}' }];
  return {
    id: String(foldName(name).length * 1_000 + name.charCodeAt(0)),
    name,
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components,
    ...overrides,
  };
}
