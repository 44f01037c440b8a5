import { Injectable } from '@nestjs/common';
import { Database, statement, type Queryable, unnestColumns } from '@switchboard/postgres';

/** A channel of an organization, as far as contacts need to know. */
export interface ProjectedChannel {
  readonly organizationId: string;
  readonly id: string;
  readonly isDefault: boolean;
  readonly defaultRegion: string;
  /** Id of the event it comes from; empty when an rpc answered it. A later id is newer. */
  readonly sourceEventId: string;
}

/** Only a newer event changes a row, so order and repetition of events do not matter. Sorted against deadlocks. */
const projectSql = statement(
  'contacts.channel.project',
  `INSERT INTO channel (organization_id, id, is_default, default_region, last_event_id)
   SELECT DISTINCT ON (organization_id, id) *
   FROM unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::text[])
     AS changed(organization_id, id, is_default, default_region, last_event_id)
   ORDER BY organization_id, id, last_event_id COLLATE "C" DESC
   ON CONFLICT (organization_id, id) DO UPDATE SET
     is_default = excluded.is_default, default_region = excluded.default_region, last_event_id = excluded.last_event_id
   WHERE channel.last_event_id < excluded.last_event_id OR channel.default_region IS NULL`,
);
const idsSql = statement<{ organizationId: string; id: string }>(
  'contacts.channel.ids',
  `SELECT c.organization_id AS "organizationId", c.id FROM unnest($1::text[]) AS asked(organization_id)
   JOIN channel c ON c.organization_id = asked.organization_id ORDER BY 1, 2`,
);
const findSql = statement<{ id: string; defaultRegion: string | null }>(
  'contacts.channel.find',
  `SELECT id, default_region AS "defaultRegion" FROM channel
   WHERE organization_id = $1 AND (id = $2 OR ($2::text IS NULL AND is_default)) LIMIT 1`,
);

/** The contacts service's own small projection of channels: which there are, and how each reads national numbers. */
@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** Stores channels from messaging's events or answers. */
  async project(channels: readonly ProjectedChannel[], through: Queryable = this.database): Promise<void> {
    if (channels.length === 0) return;
    await through.query(
      projectSql,
      unnestColumns(channels, ['organizationId', 'id', 'isDefault', 'defaultRegion', 'sourceEventId']),
    );
  }

  /** The ids of all channels, by organization. */
  async idsOf(organizationIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (organizationIds.length === 0) return new Map();
    const rows = await this.database.query(idsSql, [organizationIds]);
    const groups = Map.groupBy(rows, ({ organizationId }) => organizationId);
    return new Map([...groups].map(([organizationId, group]) => [organizationId, group.map(({ id }) => id)]));
  }

  /** How many channels the organization has. */
  async countOf(organizationId: string): Promise<number> {
    return (await this.idsOf([organizationId])).get(organizationId)?.length ?? 0;
  }

  /** The channel, or for null the default one; its region is null while only its id is known. */
  async find(
    organizationId: string,
    channelId: string | null,
  ): Promise<{ readonly id: string; readonly defaultRegion: string | null } | null> {
    const [row] = await this.database.query(findSql, [organizationId, channelId]);
    return row ?? null;
  }
}
