import { Inject, Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, TenantByTenant, type Log, type RoundResult } from '@switchboard/platform';
import { ChannelWakes } from '../bulk-lane/channel-wakes.batch.js';
import type { ChannelKey, LaneKey } from '../bulk-lane/lane.entity.js';
import { noteContacts } from '../bulk-lane/lane-item.repository.js';
import { UnknownContactSignal } from '../bulk-lane/lane-signal.js';
import { ContactRepository } from '../contact/contact.repository.js';
import { unknownItems, type UnknownItem } from './unknown-items.repository.js';

/** Organizations of a round; a lane of each of them gets a slice, one after the other. */
const ORGANIZATIONS_MAX = 8;
/** Of one request to contacts: small, so that a job holds up no other change of contacts. */
const SLICE_MAX = 100;
/** While nothing is to be resolved. */
const IDLE_MS = 2_000;
/** While what is to be resolved cannot be. */
const APART_MS = 1_000;

/** Recipients of a lane. */
interface UnknownGroup extends ChannelKey, LaneKey {
  readonly items: readonly UnknownItem[];
}

/**
 * Has contacts make or find the contacts of bulk recipients, in small slices ahead of their turns. Organizations take turns: the second
 * lane of one comes after the first of each other one, however many lanes it has.
 */
@Injectable()
export class ResolveBulkContactsWorker extends PollingWorker {
  /** The last organization of the round before; null: the next round begins a walk over all of them. */
  private walkedTo: string | null = null;
  /** The lanes that had their slices in this walk, and in the one before. */
  private walked: LaneKey[] = [];
  private walkedBefore: readonly LaneKey[] = [];
  private readonly tenants = new TenantByTenant((organizationId, error) =>
    this.log.error('lane.resolve-failed', error, { organizationId }),
  );

  constructor(
    private readonly database: Database,
    private readonly rpc: RpcClient,
    private readonly contacts: ContactRepository,
    private readonly wakes: ChannelWakes,
    signal: UnknownContactSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'lane.resolve-failed' });
  }

  /** Two replicas may ask for the same recipients: to resolve a contact twice changes nothing. */
  protected async round(): Promise<RoundResult> {
    const behind = this.walkedTo;
    const walk = { behind, lanes: this.walkedBefore };
    const items = await unknownItems(this.database, walk, { organizations: ORGANIZATIONS_MAX, each: SLICE_MAX });
    const groups = [...Map.groupBy(items, ({ organizationId }) => organizationId).values()].flatMap(groupOf);
    this.walked.push(...groups.map(({ organizationId, jobId }) => ({ organizationId, jobId })));
    this.walkedTo = groups.length === ORGANIZATIONS_MAX ? (groups.at(-1)?.organizationId ?? null) : null;
    if (this.walkedTo === null) [this.walkedBefore, this.walked] = [this.walked, []];
    const resolved = await this.tenants.each(groups, (group) => this.resolve(group));
    // Behind the last organization comes the first.
    return resolved > 0 || behind !== null || (groups.length > 0 ? APART_MS : false);
  }

  private async resolve({ organizationId, channelId, jobId, items }: UnknownGroup): Promise<void> {
    const sightings = items.map(({ phone }) => ({ phone, profileName: null, messagingId: null, hasNoOwner: true }));
    const principal = systemPrincipal(organizationId, 'bulk');
    const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
    await this.contacts.project(contacts.map((contact) => ({ organizationId, contact })));
    await this.database.transaction(async (tx) => noteContacts(tx, 'known', items));
    const lowestIndex = Math.min(...items.map(({ recipientIndex }) => recipientIndex));
    await this.wakes.execute({ organizationId, channelId }, { organizationId, jobId, lowestIndex });
  }
}

function groupOf(items: readonly UnknownItem[]): UnknownGroup[] {
  const [first] = items;
  return first ? [{ ...first, items }] : [];
}
