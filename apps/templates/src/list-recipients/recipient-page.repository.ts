import { Injectable } from '@nestjs/common';
import type { RecipientStatus, RecipientView } from '@switchboard/contracts/templates/job-http';
import { Database, statement } from '@switchboard/postgres';
import { COUNTS } from '../job/job-count.js';
import { recipientStatus, UNFIT } from '../recipient/recipient-status.policy.js';

interface RecipientRow {
  readonly index: number;
  readonly to: string;
  readonly status: string;
  readonly reason: string | null;
  readonly messageId: string | null;
}

const IS_CANCELED = `r.status = 'QUEUED' AND r.index >= j.canceled_from`;
const SHOWN = `CASE WHEN ${IS_CANCELED} THEN 'SKIPPED' ELSE r.status END`;
const COUNT = `CASE $4 ${Object.entries(COUNTS)
  .map(([status, column]) => `WHEN '${status}' THEN c.${column}`)
  .join(' ')} END`;

/**
 * By the primary key from the cursor on. The status is compared row by row: an index of it would be written with each change of
 * each recipient. A page ends with as many as the job's counts have of the status, so that one that has few is not read to its end
 * for more, nor at all for none; some 30 ms for 100,000 where those of the status are the last. What a cancelled job never took up
 * says QUEUED in its row.
 */
const pageSql = statement<RecipientRow>(
  'templates.recipient.page',
  `SELECT shown.* FROM job j CROSS JOIN LATERAL (
     SELECT r.index, r.phone AS "to", r.message_id AS "messageId", ${SHOWN} AS status,
       CASE WHEN ${IS_CANCELED} THEN 'JOB_CANCELED' ELSE r.reason END AS reason
     FROM recipient r
     WHERE r.organization_id = j.organization_id AND r.job_id = j.id AND r.index > $3
       AND ($4::text IS NULL OR ${SHOWN} = $4)
     ORDER BY r.index LIMIT least($5::bigint, (SELECT sum(${COUNT}) FROM job_count c
       WHERE c.organization_id = j.organization_id AND c.job_id = j.id))) AS shown
   WHERE j.organization_id = $1 AND j.id = $2 ORDER BY shown.index`,
);
const existsSql = statement<{ isThere: boolean }>(
  'templates.job.exists',
  'SELECT true AS "isThere" FROM job WHERE organization_id = $1 AND id = $2',
);

/** Pages of a job's recipients. */
@Injectable()
export class RecipientPageRepository {
  constructor(private readonly database: Database) {}

  /** At most so many recipients behind the index, in the order of the request. */
  async list(
    organizationId: string,
    jobId: string,
    page: { readonly behind: number; readonly status: RecipientStatus | null; readonly limit: number },
  ): Promise<RecipientView[]> {
    const { behind, status, limit } = page;
    const rows = await this.database.query(pageSql, [organizationId, jobId, behind, status, limit]);
    return rows.map(({ messageId, ...row }) => {
      const shown = recipientStatus(row.status);
      // The id is given before there is a message, and to some that get none.
      const isMessage = shown !== 'QUEUED' && shown !== 'SKIPPED' && row.reason !== UNFIT;
      return { ...row, status: shown, messageId: isMessage ? messageId : null };
    });
  }

  /** True for a job of the organization. */
  async hasJob(organizationId: string, jobId: string): Promise<boolean> {
    return (await this.database.query(existsSql, [organizationId, jobId])).length > 0;
  }
}
