import type { UpstreamMessageItem } from '@switchboard/contracts/gateway/events';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { ConversationStatus, ConversationView } from '@switchboard/contracts/messaging/http';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { createLog, systemClock } from '@switchboard/platform';
import { patience, type ServiceDatabase, type TestServers } from '@switchboard/testing';
import { ChangeConversation } from '../src/change-conversation/change-conversation.js';
import { Channel } from '../src/channel/channel.entity.js';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { ContactRepository } from '../src/contact/contact.repository.js';
import { touchConversations } from '../src/conversation/touch-conversations.js';
import { Message } from '../src/message/message.entity.js';
import { messagingMigrations } from '../src/migrations/all.js';
import { seedChannels } from '../src/seed.js';
import { takeInbound } from '../src/take-callbacks/take-inbound.js';

type Facts = Parameters<ContactRepository['project']>[0][number]['contact'];

const eventsSql = statement<{ payload: string }>(
  'test.events',
  'SELECT payload FROM outbox WHERE aggregate_id = $1 ORDER BY position',
);

/** An organization with channels and contacts in a messaging database, and what can happen to it. */
export class TestInbox {
  private lines = 0;
  private constructor(
    readonly prepared: ServiceDatabase,
    readonly database: Database,
    readonly superuser: Database,
    readonly organizationId: string,
  ) {}

  /** A fresh database, with an organization that has nothing yet. */
  static async open(servers: TestServers): Promise<TestInbox> {
    const prepared = await servers.serviceDatabase('messaging', messagingMigrations);
    const database = await prepared.database({ entities: [Channel, Message], ...patience });
    return new TestInbox(prepared, database, await prepared.superuser(), newCuid());
  }

  /** Another organization of the same database. */
  ofAnotherOrganization(): TestInbox {
    return new TestInbox(this.prepared, this.database, this.superuser, newCuid());
  }

  get principal(): Principal {
    return { organizationId: this.organizationId, actor: { type: 'key', keyId: 'ckey0001' }, scopes: null };
  }

  async addChannel(isDefault = this.lines === 0): Promise<Channel> {
    const id = newCuid();
    const { organizationId } = this;
    const line = { name: `line ${++this.lines}`, phone: '+12015550181', phoneNumberId: newCuid() };
    const access = { accessToken: 'token', businessAccountId: '1022', defaultRegion: 'US' };
    const seed = { ...line, ...access, organizationId, id, isDefault };
    const client = await this.superuser.connect();
    await seedChannels((sql, values) => client.query(sql, [...values]), [seed], Buffer.alloc(32, 7));
    client.release();
    const channel = await new ChannelRepository(this.database).find(organizationId, id);
    if (!channel) throw new Error('there is no channel');
    return channel;
  }

  async addContact(name: string | null = null, version = 1, id = newCuid()): Promise<Facts> {
    const messagingId = String(parseInt(id.slice(-9), 36)).padStart(12, '1');
    const phone = `+${messagingId}`;
    const contact: Facts = { id, phone, phoneForms: [phone], name, messagingId, version, optOuts: [] };
    await new ContactRepository(this.database).project([{ organizationId: this.organizationId, contact }]);
    return contact;
  }

  /** An outbound message's effect on its conversation alone. @returns the conversation's id */
  async touch(channel: Channel, contactId: string, lastMessageId = newCuid()): Promise<string> {
    const touch = { organizationId: this.organizationId, channelId: channel.id, contactId, newId: newCuid() };
    const last = { lastMessageId, lastMessageAt: cuidTime(lastMessageId), messages: 1, reopens: false };
    const [touched] = await this.database.transaction((tx) => touchConversations(tx, [{ ...touch, ...last }]));
    if (!touched) throw new Error('nothing was touched');
    return touched.id;
  }

  /** Texts of a contact, as callbacks bring them in one batch. */
  async receive(channel: Channel, contact: Facts, ...texts: string[]): Promise<void> {
    const at = new Date();
    await this.take(
      channel,
      texts.map((text) => ({ contact, text, at })),
    );
  }

  /**
   * What the upstream brings in one batch, in the order in which it comes; `at` is when the upstream says it was sent, `id` its own
   * id, another one each by default.
   *
   * @param beforeCommit holds the transaction open
   * @returns how many statements went with COMMIT
   */
  async take(
    channel: Channel,
    sent: readonly { readonly contact: Facts; readonly text: string; readonly at: Date; readonly id?: string }[],
    beforeCommit: () => Promise<void> = async () => undefined,
  ): Promise<number> {
    const callbacks = sent.map(({ contact, text, at, id = `wamid.${newCuid()}` }) => {
      const message = { id, from: contact.messagingId, timestamp: '1', type: 'text' };
      const item: UpstreamMessageItem = { profileName: null, message: { ...message, text: { body: text } } };
      const callback = { phoneNumberId: channel.phoneNumberId, item };
      return { at, traceparent: null, channel, contact, callback };
    });
    let statements = 0;
    await this.database.transaction(async (tx) => {
      const atCommit: Transaction['atCommit'] = (...given) => {
        statements++;
        tx.atCommit(...given);
      };
      await takeInbound({ query: tx.query, atCommit }, callbacks);
      await beforeCommit();
    });
    return statements;
  }

  /** As the gateway has it changed for a key. */
  async change(
    id: string,
    status: ConversationStatus,
    snoozedUntil: Date | null = null,
    through = this.database,
  ): Promise<ConversationView> {
    const log = createLog('messaging', { write: () => undefined });
    const use = new ChangeConversation(through, { wake: () => undefined }, systemClock, log, { wake: () => undefined });
    return use.execute(this.principal, { id, status, snoozedUntil: snoozedUntil?.toISOString() ?? null });
  }

  /** The events of a conversation, or of any other aggregate, in order. */
  async eventsOf(aggregateId: string): Promise<EventEnvelope[]> {
    const rows = await this.superuser.query(eventsSql, [aggregateId]);
    return rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope);
  }
}
