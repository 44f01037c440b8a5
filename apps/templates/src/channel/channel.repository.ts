import { Injectable } from '@nestjs/common';
import { Database, statement, unnestColumns, type Queryable } from '@switchboard/postgres';

/** A channel of an organization, as far as templates need to know. */
export interface ProjectedChannel {
  readonly organizationId: string;
  readonly id: string;
  /** The upstream's id of its account; null while only an older release of messaging has spoken of it. */
  readonly businessAccountId: string | null;
  /** E.164. */
  readonly phone: string;
  readonly status: 'CONNECTED' | 'DISCONNECTED';
  readonly isDefault: boolean;
  /** ISO 3166-1 alpha-2: how numbers in national form are read. */
  readonly defaultRegion: string;
}

/** A business account of an organization. */
export interface AccountKey {
  readonly organizationId: string;
  readonly businessAccountId: string;
}

/** Only a newer event changes a row, so order and repetition of events do not matter. Sorted against deadlocks. */
const projectSql = statement<AccountKey & { readonly businessAccountId: string | null; readonly status: string }>(
  'templates.channel.project',
  `INSERT INTO channel (organization_id, id, business_account_id, phone, status, is_default, default_region, last_event_id)
   SELECT DISTINCT ON (organization_id, id) *
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[])
     AS changed(organization_id, id, business_account_id, phone, status, is_default, default_region, last_event_id)
   ORDER BY organization_id, id, last_event_id COLLATE "C" DESC
   ON CONFLICT (organization_id, id) DO UPDATE SET
     business_account_id = coalesce(excluded.business_account_id, channel.business_account_id), phone = excluded.phone,
     status = excluded.status, is_default = excluded.is_default, default_region = excluded.default_region,
     last_event_id = excluded.last_event_id
   WHERE channel.last_event_id < excluded.last_event_id
   RETURNING organization_id AS "organizationId", business_account_id AS "businessAccountId", status`,
);
const COLUMNS = `organization_id AS "organizationId", id, business_account_id AS "businessAccountId", phone, status,
  is_default AS "isDefault", default_region AS "defaultRegion"`;
const findSql = statement<ProjectedChannel>(
  'templates.channel.find',
  `SELECT ${COLUMNS} FROM channel WHERE organization_id = $1 AND (id = $2 OR ($2::text IS NULL AND is_default)) LIMIT 1`,
);

/** The templates service's own small projection of channels. */
@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** The channel, or for null the default one; null when none is known. */
  async find(organizationId: string, channelId: string | null): Promise<ProjectedChannel | null> {
    const [row] = await this.database.query(findSql, [organizationId, channelId]);
    return row ?? null;
  }
}

/** Stores channels from messaging's events. @returns the accounts of those that changed and are connected */
export async function projectChannels(
  through: Queryable,
  channels: readonly (ProjectedChannel & { readonly sourceEventId: string })[],
): Promise<readonly AccountKey[]> {
  if (channels.length === 0) return [];
  const changed = await through.query(
    projectSql,
    unnestColumns(channels, [
      'organizationId',
      'id',
      'businessAccountId',
      'phone',
      'status',
      'isDefault',
      'defaultRegion',
      'sourceEventId',
    ]),
  );
  return changed.flatMap(({ organizationId, businessAccountId, status }) =>
    status === 'CONNECTED' && businessAccountId !== null ? [{ organizationId, businessAccountId }] : [],
  );
}
