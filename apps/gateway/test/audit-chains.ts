import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import type { NewAuditEntry } from '../src/identity/audit.contract.js';
import { appendAudit } from '../src/identity/audit/audit.repository.js';
import { verifyAudit, type AuditHead, type VerifiedChain } from '../src/identity/verify-audit/verify-audit.js';

/** An act as a test needs one. */
export const entryOf = (organizationId: string, change: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  organizationId,
  actor: { type: 'user', id: 'cuser00', email: 'owner@acme.test' },
  address: '192.0.2.7',
  traceId: 'a'.repeat(32),
  action: 'api-key.created',
  before: null,
  after: { label: 'Till' },
  ...change,
});

/** Writes one act. */
export const appendEntry = (database: Database, entry: NewAuditEntry): Promise<void> =>
  database.transaction(async (tx) => appendAudit(tx, entry));

/** Writes a chain; every third act is a change of plan. @returns its organization */
export async function chainOf(database: Database, length: number): Promise<string> {
  const organizationId = newCuid();
  await database.transaction(async (tx) => {
    for (let index = 1; index <= length; index++) {
      const action = index % 3 === 0 ? 'plan.changed' : 'api-key.created';
      appendAudit(tx, entryOf(organizationId, { action, after: { index } }));
    }
  });
  return organizationId;
}

/** Walks one chain. */
export async function verifyChain(
  database: Database,
  organizationId: string,
  noted: readonly AuditHead[] = [],
): Promise<VerifiedChain> {
  for await (const chain of verifyAudit(database, { organizationId, noted })) return chain;
  throw new Error('no chain was looked at');
}
