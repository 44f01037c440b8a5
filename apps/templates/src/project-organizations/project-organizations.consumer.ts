import { Inject, Injectable } from '@nestjs/common';
import { organizationChanged } from '@switchboard/contracts/gateway/events';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { templatesOrganizationsConsumer } from '@switchboard/contracts/consumers';
import type { Transaction } from '@switchboard/postgres';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import { CauseSignal } from '../job/cause-signal.js';
import { projectOrganizations } from '../organization/organization.repository.js';

type OrganizationChanged = EventDataOf<typeof organizationChanged>;

const BULK_SCOPE = 'templates:send';

/** Keeps what organizations pay for. */
@Injectable()
export class ProjectOrganizationsConsumer extends ProjectionConsumer<OrganizationChanged> {
  constructor(
    @Inject(PLATFORM) platform: Platform,
    private readonly signal: CauseSignal,
  ) {
    super(platform, organizationChanged, { consumer: templatesOrganizationsConsumer, batchMax: 200 });
  }

  /** The signal may come before the commit: what is missed then is found at the next look. */
  protected async project(tx: Transaction, events: readonly ProjectedEvent<OrganizationChanged>[]): Promise<void> {
    const organizations = events.map(({ eventId: sourceEventId, organizationId, data }) => {
      // A plan without bulk sends holds them as a payment that is due does.
      const subscription = data.excludedScopes?.includes(BULK_SCOPE) === true ? 'PAST_DUE' : data.subscription;
      return { organizationId, subscription, messagesPerMonth: data.messagesPerMonth, sourceEventId };
    });
    await projectOrganizations(tx, organizations);
    this.signal.wake();
  }
}
