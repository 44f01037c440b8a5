import { hash } from 'node:crypto';

/** An entry as it is stored; numbers, times and JSON as the very text that is hashed. */
export interface StoredAuditEntry {
  readonly organizationId: string;
  readonly sequence: string;
  readonly action: string;
  readonly actorType: string;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly address: string | null;
  readonly traceId: string | null;
  /** Microseconds since the Unix epoch. */
  readonly at: string;
  /** The database role that wrote it. */
  readonly recordedBy: string;
  readonly before: string | null;
  readonly after: string | null;
  /** 64 hex digits. */
  readonly hash: string;
}

/** How far a chain was at some moment: enough to notice that what came before it was changed. */
export interface AuditHead {
  readonly organizationId: string;
  readonly sequence: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** The first thing that is wrong with a chain. */
export interface AuditFault {
  readonly organizationId: string;
  /** Of the first faulty row; of the first missing one where rows are gone. */
  readonly sequence: number;
  readonly what: string;
}

/** What the first entry of every chain is chained to. */
export const AUDIT_ORIGIN = '0'.repeat(64);

/**
 * The hash of an entry: SHA-256 over the 32 bytes of the hash before it and the entry's canonical form.
 *
 * Canonical form: the twelve fields in the order below, each as `<bytes>:<text>;` in UTF-8, or `-;` for none, so that no
 * two entries have the same. The database computes the same when a row is inserted (`audit_hash`): this is its second
 * implementation, and a test holds both to each other.
 */
export function auditHashOf(previousHash: string, entry: Omit<StoredAuditEntry, 'hash'>): string {
  const fields = [
    entry.organizationId,
    entry.sequence,
    entry.action,
    entry.actorType,
    entry.actorId,
    entry.actorEmail,
    entry.address,
    entry.traceId,
    entry.at,
    entry.recordedBy,
    entry.before,
    entry.after,
  ];
  const form = fields.map((field) => (field === null ? '-;' : `${Buffer.byteLength(field)}:${field};`)).join('');
  return hash('sha256', Buffer.concat([Buffer.from(previousHash, 'hex'), Buffer.from(form)]), 'hex');
}

/** Walks one chain from its first entry that is kept to its head; bounded memory, whatever its length. */
export class AuditChainCheck {
  private sequence = 0;
  private hash = AUDIT_ORIGIN;

  /** @param noted hashes of heads of this chain that were noted elsewhere, by sequence: of one row each must be the same */
  constructor(
    private readonly organizationId: string,
    private readonly noted: ReadonlyMap<number, ReadonlySet<string>> = new Map(),
  ) {}

  /**
   * Begins after the last entry that was removed for its age; what was noted before that one is no longer comparable.
   *
   * @returns what is wrong with it; null when it fits
   */
  begin({ sequence, hash: removed }: Omit<AuditHead, 'organizationId'>): AuditFault | null {
    this.sequence = sequence;
    this.hash = removed;
    if (this.fitsNoted()) return null;
    return this.fault(sequence, 'was removed for its age with another hash than was noted');
  }

  /** Takes the next entry. @returns what is wrong with it; null when it fits */
  next(entry: StoredAuditEntry): AuditFault | null {
    const wanted = this.sequence + 1;
    if (entry.sequence !== String(wanted)) {
      return this.fault(wanted, `is missing: the next row that is there is ${entry.sequence}`);
    }
    this.sequence = wanted;
    this.hash = auditHashOf(this.hash, entry);
    if (this.hash !== entry.hash) return this.fault(wanted, 'is not what was written, or not after what is before it');
    if (!this.fitsNoted()) {
      return this.fault(wanted, `does not have the hash that was noted: it, or a row before it, was written anew`);
    }
    return null;
  }

  /**
   * Compares the end with the head that the database keeps, and with those noted elsewhere.
   *
   * @param mustBegin whether the organization exists: then there is an entry at least, that of its making
   */
  end(head: AuditHead | null, mustBegin: boolean): AuditFault | null {
    const after = this.sequence + 1;
    const kept = head?.sequence ?? 0;
    if (kept > this.sequence) return this.fault(after, `is missing: the head says that there are ${kept} rows`);
    const late = [...this.noted.keys()].filter((sequence) => sequence > this.sequence);
    if (late.length > 0) return this.fault(after, `is missing: row ${Math.max(...late)} was noted`);
    if (after === 1 && mustBegin) return this.fault(1, 'is missing: the organization exists, and has no entries');
    if (kept < this.sequence) return this.fault(kept + 1, `lies beyond the head, which ends with ${kept}`);
    if (head && head.hash !== this.hash) return this.fault(this.sequence, 'does not have the hash that the head says');
    return null;
  }

  private fitsNoted(): boolean {
    return [...(this.noted.get(this.sequence) ?? [])].every((noted) => noted === this.hash);
  }

  private fault(sequence: number, what: string): AuditFault {
    return { organizationId: this.organizationId, sequence, what };
  }
}
