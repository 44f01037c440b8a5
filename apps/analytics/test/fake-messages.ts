import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { CountedMessage, CountedPage, ListCountedRequest } from '@switchboard/contracts/messaging/counted-rpc';
import type { RpcClient } from '@switchboard/nats';
import type { MessageFact } from '../src/fact/message-fact.js';

/** Messages as messaging has them: the newest version of each that was committed. */
export class FakeMessages {
  private readonly newest = new Map<string, MessageFact>();

  /** @param keptFrom as messaging says it before it has removed any; null: of a release that does not say it */
  constructor(private keptFrom: string | null = cuidFloor(new Date(0))) {}

  /** Commits a version; its event may be delivered from now on. */
  commit(fact: MessageFact): void {
    const known = this.newest.get(fact.id);
    if (!known || known.version < fact.version) this.newest.set(fact.id, fact);
  }

  /** Retention: forgets what is older. */
  dropBefore(id: string): void {
    this.keptFrom = id;
    for (const known of this.newest.keys()) if (known < id) this.newest.delete(known);
  }

  all(): MessageFact[] {
    return [...this.newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Answers `list-counted` after `before`, which may commit and deliver meanwhile. */
  rpc(before: () => Promise<void> = async () => undefined): Pick<RpcClient, 'call'> {
    const answer = async (
      _rpc: unknown,
      { organizationId }: ReturnType<typeof systemPrincipal>,
      { after, limit }: ListCountedRequest,
    ): Promise<CountedPage> => {
      await before();
      const behind = this.all().filter((fact) => fact.organizationId === organizationId && fact.id > (after ?? ''));
      return { messages: behind.slice(0, limit).map(countedOf), keptFrom: this.keptFrom ?? undefined };
    };
    return { call: answer as unknown as RpcClient['call'] };
  }
}

const STATUSES = ['QUEUED', 'SENT', 'DELIVERED', 'READ'] as const;

function countedOf(fact: MessageFact): CountedMessage {
  const { id, channelId, contactId, isInbound, templateId, version, stage, errorCode } = fact;
  return {
    id,
    messagingChannelId: channelId,
    contactId,
    direction: isInbound ? 'INBOUND' : 'OUTBOUND',
    template: templateId === null ? null : { id: templateId, name: 'greeting', language: 'en' },
    status: isInbound ? 'RECEIVED' : fact.isFailed ? 'FAILED' : (STATUSES[stage] ?? 'READ'),
    error: errorCode === null ? null : { code: errorCode },
    sentAt: fact.sentAt?.toISOString() ?? null,
    deliveredAt: fact.deliveredAt?.toISOString() ?? null,
    readAt: fact.readAt?.toISOString() ?? null,
    sequence: version,
  };
}
