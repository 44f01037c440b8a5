import { Injectable } from '@nestjs/common';
import type { UpstreamLines } from '@switchboard/contracts/messaging/line-rpc';
import { Database, statement } from '@switchboard/postgres';

const foreignLines = statement<UpstreamLines>(
  'messaging.channel.foreign-lines',
  `SELECT
     ARRAY(SELECT phone_number_id FROM channel
       WHERE phone_number_id = ANY ($2::text[]) AND organization_id <> $1) AS "phoneNumberIds",
     ARRAY(SELECT business_account_id FROM channel WHERE business_account_id = ANY ($3::text[])
       GROUP BY business_account_id HAVING bool_and(organization_id <> $1)) AS "businessAccountIds"`,
);

/** Reads which lines of callbacks are other organizations'. */
@Injectable()
export class ForeignLineReader {
  constructor(private readonly database: Database) {}

  /** Which of the lines and accounts are another organization's alone. */
  async among(organizationId: string, { phoneNumberIds, businessAccountIds }: UpstreamLines): Promise<UpstreamLines> {
    const [foreign] = await this.database.query(foreignLines, [organizationId, phoneNumberIds, businessAccountIds]);
    return foreign ?? { phoneNumberIds: [], businessAccountIds: [] };
  }
}
