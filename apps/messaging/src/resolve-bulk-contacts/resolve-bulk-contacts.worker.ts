import { Inject, Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { LockedLines } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, type Log, type RoundResult } from '@switchboard/platform';
import { wakeChannel } from '../bulk-lane/channel-pace.repository.js';
import type { LaneKey } from '../bulk-lane/lane.entity.js';
import { noteContacts } from '../bulk-lane/lane-item.repository.js';
import { LaneSignal, UnknownContactSignal } from '../bulk-lane/lane-signal.js';
import { ContactRepository } from '../contact/contact.repository.js';
import { unknownItems, type UnknownItem } from './unknown-items.repository.js';

/** Lanes of a round; each of them gets a slice, one after the other. */
const LANES_MAX = 8;
/** Of one request to contacts: small, so that a job holds up no other change of contacts. */
const SLICE_MAX = 100;
/** While nothing is to be resolved. */
const IDLE_MS = 2_000;
/** While what is to be resolved cannot be. */
const APART_MS = 1_000;

/** Has contacts make or find the contacts of bulk recipients, in small slices ahead of their turns. */
@Injectable()
export class ResolveBulkContactsWorker extends PollingWorker {
  private walkedTo: LaneKey | null = null;
  /** Organizations whose contacts could not be resolved while others' could: rows of theirs are locked. */
  private readonly locked = new LockedLines();

  constructor(
    private readonly database: Database,
    private readonly rpc: RpcClient,
    private readonly contacts: ContactRepository,
    private readonly lanes: LaneSignal,
    signal: UnknownContactSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'lane.resolve-failed' });
  }

  /** Two replicas may ask for the same recipients: to resolve a contact twice changes nothing. */
  protected async round(): Promise<RoundResult> {
    const behind = this.walkedTo;
    const items = await unknownItems(this.database, behind, { lanes: LANES_MAX, each: SLICE_MAX });
    const groups = [...Map.groupBy(items, ({ organizationId, jobId }) => `${organizationId} ${jobId}`).values()];
    this.walkedTo = groups.length === LANES_MAX ? (items.at(-1) ?? null) : null;
    const resolved = await this.resolveEach(groups);
    // Behind the last lane comes the first.
    return resolved > 0 || behind !== null || (groups.length > 0 ? APART_MS : false);
  }

  /** One that cannot be resolved holds up none behind it. @returns how many were @throws when none was that was tried */
  private async resolveEach(groups: readonly (readonly UnknownItem[])[]): Promise<number> {
    const failed = new Map<string, unknown>();
    let resolved = 0;
    for (const group of groups) {
      const [first] = group;
      if (!first || failed.has(first.organizationId) || this.locked.pauseMs(first.organizationId) > 0) continue;
      try {
        await this.resolve(first, group);
        this.locked.passed(first.organizationId);
        resolved++;
      } catch (error) {
        failed.set(first.organizationId, error);
      }
    }
    const [error] = failed.values();
    if (failed.size > 0 && resolved === 0) throw error;
    for (const [organizationId, own] of failed) {
      this.locked.timedOut(organizationId, true);
      this.log.error('lane.resolve-failed', own, { organizationId });
    }
    return resolved;
  }

  private async resolve(first: UnknownItem, items: readonly UnknownItem[]): Promise<void> {
    const { organizationId } = first;
    const sightings = items.map(({ phone }) => ({ phone, profileName: null, messagingId: null }));
    const principal = systemPrincipal(organizationId, 'bulk');
    const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
    await this.contacts.project(contacts.map((contact) => ({ organizationId, contact })));
    await this.database.transaction(async (tx) => noteContacts(tx, items, true));
    await wakeChannel(this.database, first);
    this.lanes.wake();
  }
}
