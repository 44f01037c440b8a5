import { readFile, writeFile } from 'node:fs/promises';
import { operate, type AuditHead } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';

const PROGRESS_ROWS = 50_000;

/**
 * Walks the audit log. Says the first faulty row of each chain; heads are saved only when there is none.
 *
 * @throws Error when a chain is not as it was written, or what was asked for does not exist
 */
export async function verifyAuditLog(
  client: pg.ClientBase,
  { organization, expect, saveHeads, json }: Choices,
  { out, err, operator }: AdminContext,
): Promise<string[]> {
  const noted = expect === undefined ? [] : readHeads(await readFile(expect, 'utf8'), expect);
  const heads: AuditHead[] = [];
  const floors = new Map<string, number>();
  let [chains, faulty, rows, removed, reported] = [0, 0, 0, 0, 0];
  const onRows = (looked: number): void => {
    if (looked - reported < PROGRESS_ROWS) return;
    reported = looked;
    err(`… ${looked} rows`);
  };
  const operation = operate(await gatewayDatabase(client), operator);
  for await (const chain of operation.verifyAudit({ organizationId: organization, noted, onRows })) {
    chains++;
    rows += chain.rows;
    removed += chain.removed;
    floors.set(chain.organizationId, chain.removed);
    if (organization !== undefined && chain.rows === 0 && chain.head === null && chain.fault === null) {
      throw new Error(`There is no organization ${organization}, and no chain of it.`);
    }
    if (saveHeads !== undefined && chain.head) heads.push(chain.head);
    if (!chain.fault) continue;
    faulty++;
    const { organizationId, sequence, what } = chain.fault;
    out(json ? JSON.stringify(chain.fault) : `${organizationId}: row ${sequence} ${what}`);
  }
  if (faulty > 0) throw new Error(`${faulty} of ${chains} chains of the audit log are not as they were written.`);
  if (saveHeads !== undefined) await writeFile(saveHeads, heads.map((head) => `${JSON.stringify(head)}\n`).join(''));
  if (json) return [JSON.stringify({ chains, rows, removed, faulty })];
  if (chains === 0) return ['0 chains: nothing to verify.'];
  // A chain that was not walked has compared none.
  const compared = noted.filter((head) => head.sequence >= (floors.get(head.organizationId) ?? Infinity)).length;
  const fit = noted.length > 0 ? `; ${compared} saved heads fit` : '';
  const before = removed > 0 ? `; ${removed} before them were removed for their age` : '';
  return [`${rows} rows in ${chains} chains are as they were written, and none is missing${fit}${before}.`];
}

/** @throws UsageError for a line that is no head */
function readHeads(text: string, file: string): AuditHead[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const head = headOf(line);
      if (!head) throw new UsageError(`Line ${index + 1} of ${file} is no head of the audit log.`);
      return head;
    });
}

function headOf(line: string): AuditHead | null {
  try {
    const { organizationId, sequence, hash } = JSON.parse(line) as Partial<Record<keyof AuditHead, unknown>>;
    if (typeof organizationId !== 'string' || !Number.isSafeInteger(sequence) || typeof hash !== 'string') return null;
    return { organizationId, sequence: Number(sequence), hash };
  } catch {
    return null;
  }
}
