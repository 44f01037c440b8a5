import { eventFailureTable, retentionFunctions } from '@switchboard/outbox';
import { partitionFunctions, type FormerSchema } from '@switchboard/postgres';
import { dispatchConversationIndex } from './initial/dispatch.sql.js';
import { messagePartitions } from './initial/message-partitions.sql.js';
import { quotaFunctions } from './initial/quota.sql.js';

/**
 * The schema as the migrations before the baseline left it.
 */
export const formerSchema: FormerSchema = {
  schemaFile: new URL('../../baseline-schema.sql', import.meta.url),
  migrations: [
    'Initial1763700000000',
    'Quota1764000003000',
    'IdempotencyKeys1764000004000',
    'PhoneVersions1764000006000',
    'QuotaCountsAll1764000009000',
    'Replay1764100000000',
    'Snooze1764400000000',
    'RetryLines1764500000000',
    'ObservedOptOuts1764600000000',
    'MessageLists1764700000000',
    'ConversationLists1764700001000',
    'PlannerHints1764700002000',
    'OptOutKeywords1764800005000',
  ],
  renames: `
    ALTER TABLE idempotency_key RENAME COLUMN answer TO response;
    ALTER INDEX dispatch_line RENAME TO dispatch_retry;
    ${dispatchConversationIndex}
    DROP FUNCTION cuid_day(text);
    ${partitionFunctions} ${retentionFunctions} ${eventFailureTable} ${messagePartitions} ${quotaFunctions}
  `,
};
