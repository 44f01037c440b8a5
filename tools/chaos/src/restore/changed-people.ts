import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';
import { answeredWith, type RacingCallers } from '../races/racing-callers.js';
import type { Stage } from '../stage/stage.js';

/** Of each kind: who opts out behind the restore, and who is erased. */
const EACH = 5;
/** Each is two versions of the contact that the restore loses, and that messaging takes from the stream again. */
const CHANGES = 2;

/**
 * People whom the backup holds, who change between it and the restore, and act again behind it: what contacts says of them then has to
 * be newer than what messaging holds.
 */
export class ChangedPeople {
  private readonly optingOut: readonly string[];
  private readonly erased: readonly string[];
  private sends: readonly Send[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly callers: RacingCallers,
  ) {
    const phones = (): string[] => Array.from({ length: EACH }, () => callers.nextPhone());
    [this.optingOut, this.erased] = [phones(), phones()];
  }

  /** Before the backup. */
  async write(): Promise<void> {
    this.sends = await Promise.all([...this.optingOut, ...this.erased].map((phone) => this.callers.send(phone)));
  }

  /** Between the backup and the restore. @returns how many did not change */
  async change(): Promise<number> {
    const changed = this.sends.map(async ({ to }) => {
      for (let change = 0; change < CHANGES; change++) if (!(await this.callers.optOutAndIn(to))) return false;
      return true;
    });
    return (await Promise.all(changed)).filter((isChanged) => !isChanged).length;
  }

  /** Behind the restore, when all that the broker holds is applied again: the acts, and what they must have come to when they return. */
  async act(): Promise<Finding[]> {
    const contactIds = this.sends
      .filter(({ to }) => this.erased.includes(to))
      .flatMap(({ outcome }) => (outcome.kind === 'answered' ? (outcome.contactId ?? []) : []));
    const optedOut = await Promise.all(this.optingOut.map((phone) => this.callers.optOut(phone)));
    const refused = answeredWith(403, await Promise.all(this.optingOut.map((phone) => this.callers.send(phone))));
    const erased = await Promise.all(contactIds.map((id) => this.callers.erase(id)));
    const kept = await this.stage.database.query<{ id: string }>(
      `SELECT id FROM messaging.contact WHERE id = ANY ($1::text[]) AND (phone <> '' OR messaging_id <> '' OR name IS NOT NULL)`,
      [contactIds],
    );
    const findings = kept.map(({ id }): Finding => ({
      rule: 'erasure.lost',
      detail: `${id}, erased behind the restore`,
    }));
    if (refused !== EACH) {
      findings.push({
        rule: 'fence.late',
        detail: `${refused} of ${EACH} sends to opt-outs behind the restore were refused`,
      });
    }
    const done = [...optedOut.filter((at) => at !== null), ...erased.filter((isErased) => isErased)].length;
    if (done !== 2 * EACH)
      findings.push({ rule: 'unnoticed', detail: `${done} of ${2 * EACH} acts behind the restore succeeded` });
    return findings;
  }
}
