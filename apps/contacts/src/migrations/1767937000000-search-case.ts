import { setTimeout as wait } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts of a slice. */
const SLICE = 1_000;

/** Folds the letters that searches compare otherwise than before (a Turkish one, one for two s, and a sign) in the slice behind a contact. */
const FOLD_SLICE = `
  WITH slice AS (
    SELECT organization_id, id, search_text ~ '[İẞϴ]' AS is_folded FROM contact WHERE (organization_id, id) > ($1, $2)
    ORDER BY organization_id, id LIMIT ${SLICE}
  ), folded AS (
    UPDATE contact c
    SET search_text = normalize(regexp_replace(replace(replace(c.search_text, 'ẞ', 'SS'), 'ϴ', 'Θ'), U&'\\0130\\0307*', 'I', 'g'), NFC)
    FROM slice s WHERE s.is_folded AND c.organization_id = s.organization_id AND c.id = s.id
  )
  SELECT organization_id, id FROM slice ORDER BY organization_id DESC, id DESC LIMIT 1`;

/**
 * Contacts with letters that have two forms in one case are found by both. In slices, each a transaction of its own and a rest of the same
 * length: one that was ended begins anew, and changes what is left. Lock: of the rows of a slice that have such a letter. Reversal: none is
 * needed, a search by a replica of before does not find these by the letter itself.
 */
export class SearchCase1767937000000 implements MigrationInterface {
  readonly name = 'SearchCase1767937000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    let walkedTo: { organization_id: string; id: string } | undefined = { organization_id: '', id: '' };
    while (walkedTo) {
      const startedMs = performance.now();
      [walkedTo] = (await runner.query(FOLD_SLICE, [walkedTo.organization_id, walkedTo.id])) as (typeof walkedTo)[];
      await wait(performance.now() - startedMs);
    }
  }

  async down(): Promise<void> {}
}
