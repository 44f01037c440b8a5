import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';

/**
 * Writes a chain as the trigger would have written it so many days ago, one entry an age.
 *
 * @param superuser who may write past the trigger
 * @returns its organization
 */
export async function agedChain(superuser: Database, agesDays: readonly number[]): Promise<string> {
  const organizationId = newCuid();
  await superuser.dataSource.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    let hash = '0'.repeat(64);
    for (const [index, age] of agesDays.entries()) {
      const [entry]: { hash: string }[] = await manager.query(
        `INSERT INTO gateway.audit_entry (organization_id, sequence, action, actor_type, at, recorded_by, hash)
         SELECT $1, $2::bigint, 'api-key.created', 'system', at, 'switchboard_gateway',
           gateway.audit_hash(decode($4, 'hex'), ARRAY[$1, $2::bigint::text, 'api-key.created', 'system', NULL, NULL, NULL, NULL,
             (extract(epoch FROM at) * 1000000)::bigint::text, 'switchboard_gateway', NULL, NULL])
         FROM (SELECT date_trunc('milliseconds', now() - make_interval(days => $3)) AS at) AS moment
         RETURNING encode(hash, 'hex') AS hash`,
        [organizationId, index + 1, age, hash],
      );
      hash = entry?.hash ?? '';
    }
    await manager.query(`INSERT INTO gateway.audit_head VALUES ($1, $2, decode($3, 'hex'))`, [
      organizationId,
      agesDays.length,
      hash,
    ]);
  });
  return organizationId;
}
