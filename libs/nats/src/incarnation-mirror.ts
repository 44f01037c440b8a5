import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** Which state of its database a service has last shown to the broker. */
export interface Incarnation {
  /** Grows with every token. */
  readonly number: number;
  /** Random: another database with the same number has another one. */
  readonly token: string;
  /** Grows with every restore; says which durable consumers the service uses: see `durableNames`. */
  readonly consumerEpoch: number;
}

/** An incarnation as it is shown to the broker. */
export interface ShownIncarnation extends Incarnation {
  /** Of PostgreSQL: another one begins where a standby is promoted. Null: not known. */
  readonly timeline: number | null;
}

/** A shown incarnation with its place in the stream. */
export interface MirroredIncarnation extends ShownIncarnation {
  readonly sequence: number;
}

/** The stream of all mirrors: one message for each service. */
export const INCARNATIONS_STREAM = 'INCARNATIONS';
/** All subjects of `INCARNATIONS_STREAM`. */
export const INCARNATION_SUBJECTS = 'incarnation.*';

const DEADLINE_MS = 5_000;
/** Source: NATS ADR-31, "JetStream Direct Get": no message on the subject. */
const NOT_FOUND = 404;

/** The subject that a service's mirror is the last message of; no other service may publish to it. */
export function incarnationSubject(service: string): string {
  return `incarnation.${service}`;
}

/** Asks for the last message of a service's mirror, and for nothing else of the stream. */
export function incarnationRequest(service: string): string {
  return `$JS.API.DIRECT.GET.${INCARNATIONS_STREAM}.${incarnationSubject(service)}`;
}

/** The copy that the broker keeps of a service's incarnation: a database that is restored is older than it. */
export class IncarnationMirror {
  constructor(
    private readonly connection: NatsConnection,
    private readonly service: string,
  ) {}

  /** Null when the service has never shown one, or the broker has lost it. @throws when no stream answers within 5 s */
  async read(): Promise<MirroredIncarnation | null> {
    const answer = await this.connection.request(incarnationRequest(this.service), '', { timeout: DEADLINE_MS });
    const { headers } = answer;
    if (headers?.code === NOT_FOUND) return null;
    const sequence = Number(headers?.get('Nats-Sequence') ?? NaN);
    if (!Number.isInteger(sequence))
      throw new Error(`no incarnation: ${headers?.status ?? 'an answer without headers'}`);
    // A release that showed no timeline may have written last.
    return { timeline: null, ...answer.json<Incarnation>(), sequence };
  }

  /**
   * Replaces the mirror. Resolves when the stream has it.
   *
   * @param after sequence of the mirror as it was read or written last; 0 for none
   * @returns its own sequence
   * @throws when another process has written since, and when no stream took it within 5 s
   */
  async write({ number, token, consumerEpoch, timeline }: ShownIncarnation, after: number): Promise<number> {
    const client = jetstream(this.connection, { checkAPI: false, timeout: DEADLINE_MS });
    const payload = JSON.stringify({ number, token, consumerEpoch, timeline });
    const expect = { lastSubjectSequence: after };
    const { seq } = await client.publish(incarnationSubject(this.service), payload, { expect });
    return seq;
  }
}
