import { isUtf8 } from 'node:buffer';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { JOB_RECIPIENTS_MAX } from '@switchboard/contracts/templates/job-rpc';
import { fieldHints } from '../http/input/field-hint.policy.js';
import { checkJson, costlyJson, JSON_VALUES_MAX, parseJsonBody } from '../http/json-body.policy.js';
import { slimFields, type SlimFields } from './bulk-fields.policy.js';
import { ElementSplitter } from './element-splitter.js';
import { RecipientChunks, type RecipientChunk } from './recipient-chunks.js';
import { readRecipient, recipientProblem } from './recipient.policy.js';

/** What of a body is held at once, apart from a chunk; one recipient must fit into a message of NATS. */
const LIMITS = { elementBytesMax: 512 * 1_024, restBytesMax: 1_024 * 1_024 };
/** Faulty recipients that a refusal names. Source: docs/api-behaviour.md#bulk-sends-create. */
const PROBLEMS_MAX = 5;
/** Within the body and its array, a recipient is on the third level of 32; its values are bounded by its bytes alone. */
const RECIPIENT_LEVEL = 3;
const RECIPIENT_COST = { depthMax: 30, valuesMax: LIMITS.elementBytesMax };
const NUMBER_OF_RECIPIENTS = `\`recipients\` must be an array of 1 to ${JOB_RECIPIENTS_MAX} recipients`;

/** A body that has ended. */
export interface BulkBodyEnd extends SlimFields {
  readonly total: number;
  /** The recipients that no full chunk held; null when nothing is left over. */
  readonly lastChunk: RecipientChunk | null;
  /** Why the body is refused although its syntax is right; null when its recipients are well-shaped. */
  readonly refusal: string | null;
}

/**
 * Reads the body of a bulk send piece by piece: to the letter what `parseJsonBody` and a validation of the whole would
 * find, without ever holding the whole. Runs where it may take its time: in a thread of its own.
 */
export class BulkBody {
  private total = 0;
  private readonly chunks = new RecipientChunks();
  private readonly problems: string[] = [];
  private readonly splitter = new ElementSplitter('recipients', LIMITS, (text) => this.take(text));

  /**
   * @returns the chunks that are full now, in their order; none once a recipient was faulty
   * @throws AppError MALFORMED_BODY, PAYLOAD_TOO_LARGE
   */
  push(piece: Buffer): readonly RecipientChunk[] {
    this.splitter.push(piece);
    return this.chunks.takeFull();
  }

  /** @throws AppError MALFORMED_BODY, VALIDATION_FAILED */
  end(): BulkBodyEnd {
    // In the rest, a `0` stands for each recipient.
    const { recipients, ...fields } = parseJsonBody(this.splitter.end(), JSON_VALUES_MAX + this.total);
    const refusal = this.refusalOf(recipients, Object.keys(fields));
    return { ...slimFields(fields), total: this.total, lastChunk: this.chunks.takeLast(), refusal };
  }

  private refusalOf(recipients: unknown, others: readonly string[]): string | null {
    if (this.splitter.arrays > 1) return '`recipients` must be given once';
    if (this.total > JOB_RECIPIENTS_MAX) return NUMBER_OF_RECIPIENTS;
    if (recipients === undefined) return `\`recipients\` is required${fieldHints(others, ['recipients'])}`;
    if (!Array.isArray(recipients) || recipients.length === 0) return NUMBER_OF_RECIPIENTS;
    return this.problems.length === 0 ? null : this.problems.join('; ');
  }

  private take(text: Buffer): void {
    const index = this.total++;
    if (index >= JOB_RECIPIENTS_MAX) return;
    const cost = costlyJson(text, RECIPIENT_COST);
    const value = cost === null ? parseElement(text) : null;
    if (this.problems.length === PROBLEMS_MAX) return;
    const path = `recipients[${index}]`;
    const problem = cost === null ? problemOf(value, path) : `\`${path}\`: ${cost}`;
    if (problem !== null) this.problems.push(problem);
    if (this.problems.length === 0) this.chunks.add(readRecipient(value as object));
  }
}

function parseElement(text: Buffer): unknown {
  if (!isUtf8(text)) throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is not well-formed UTF-8');
  try {
    return JSON.parse(text.toString('utf8'));
  } catch (cause) {
    throw new AppError(gatewayErrors.MALFORMED_BODY, undefined, { cause });
  }
}

function problemOf(value: unknown, path: string): string | null {
  try {
    checkJson(value, path, RECIPIENT_LEVEL);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message.includes(path) ? error.message : `\`${path}\`: ${error.message}`;
  }
  const problem = recipientProblem(value);
  if (!problem) return null;
  return `\`${path}${problem.field === '' ? '' : `.${problem.field}`}\` ${problem.expected}`;
}
