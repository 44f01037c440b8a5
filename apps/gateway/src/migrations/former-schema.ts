import { eventFailureTable, retentionFunctions } from '@switchboard/outbox';
import { partitionFunctions, type FormerSchema } from '@switchboard/postgres';
import { auditFunctions } from './initial/audit-log.sql.js';

/**
 * The schema as the migrations before the baseline left it.
 */
export const formerSchema: FormerSchema = {
  schemaFile: new URL('../../baseline-schema.sql', import.meta.url),
  migrations: [
    'Initial1763700000000',
    'People1764000001000',
    'AuditLog1764000002000',
    'ApiKeyCreator1764000002001',
    'AuditBeginnings1764000008000',
    'Replay1764100000000',
  ],
  renames: `
    ALTER TABLE password_guess RENAME TO login_throttle;
    ALTER TABLE login_throttle RENAME COLUMN guesses TO attempts;
    ALTER TABLE login_throttle RENAME COLUMN last_at TO last_attempt_at;
    ALTER TABLE login_throttle RENAME COLUMN next_at TO next_attempt_at;
    ALTER INDEX password_guess_pkey RENAME TO login_throttle_pkey;
    ALTER INDEX password_guess_age RENAME TO login_throttle_age;
    DROP FUNCTION cuid_day(text);
    ${partitionFunctions} ${retentionFunctions} ${eventFailureTable} ${auditFunctions}
  `,
};
