import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { foreignLinesRpc, type UpstreamLines } from '@switchboard/contracts/messaging/line-rpc';
import type { RpcClient } from '@switchboard/nats';

/** Which of these lines other organizations have. */
export type ReadForeignLines = (organizationId: string, lines: UpstreamLines) => Promise<UpstreamLines>;

/** Asks messaging, whose channels the lines are. */
export function remoteForeignLines(rpc: RpcClient): ReadForeignLines {
  return (organizationId, lines) => rpc.call(foreignLinesRpc, systemPrincipal(organizationId, 'erasure'), lines);
}

/**
 * Which lines are another organization's than of the one that erases: a callback names a line, and no organization, and what
 * came by another's line is that one's, though it is from the same number. A line that is no channel is of none.
 */
export class ForeignLines {
  /** By `keyOf`. */
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly organizationId: string,
    private readonly read: ReadForeignLines,
  ) {}

  /** To be called before `has` with the events that it will be asked about. */
  async learn(envelopes: readonly EventEnvelope[]): Promise<void> {
    const lines = envelopes.flatMap(({ data }) => lineOf(data) ?? []).filter((line) => !this.known.has(keyOf(line)));
    const asked = {
      phoneNumberIds: namesOf(lines, 'phoneNumberIds'),
      businessAccountIds: namesOf(lines, 'businessAccountIds'),
    };
    if (lines.length === 0) return;
    const foreign = await this.read(this.organizationId, asked);
    for (const line of lines) this.known.set(keyOf(line), foreign[line.kind].includes(line.name));
  }

  /** @param data of a callback's event */
  has(data: unknown): boolean {
    const line = lineOf(data);
    return line !== null && this.known.get(keyOf(line)) === true;
  }
}

interface Line {
  readonly kind: keyof UpstreamLines;
  readonly name: string;
}

/** What names no line is about every line of its account. */
function lineOf(data: unknown): Line | null {
  if (typeof data !== 'object' || data === null) return null;
  const { phoneNumberId, businessAccountId }: { phoneNumberId?: unknown; businessAccountId?: unknown } = data;
  if (typeof phoneNumberId === 'string') return { kind: 'phoneNumberIds', name: phoneNumberId };
  return typeof businessAccountId === 'string' ? { kind: 'businessAccountIds', name: businessAccountId } : null;
}

function keyOf({ kind, name }: Line): string {
  return `${kind} ${name}`;
}

function namesOf(lines: readonly Line[], kind: Line['kind']): string[] {
  return [...new Set(lines.filter((line) => line.kind === kind).map(({ name }) => name))];
}
