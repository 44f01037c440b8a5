import { AppError } from '@switchboard/contracts/grammar/app-error';
import {
  abandonJobRpc,
  beginJobRpc,
  commitJobRpc,
  findJobByKeyRpc,
  listRecipientsRpc,
  stageRecipientsRpc,
  type CommitJobRequest,
  type KeyedJob,
} from '@switchboard/contracts/templates/job-rpc';
import type { TestServers } from '@switchboard/testing';
import { answerRpcs } from './gateway-harness.js';

/** Stands in for templates: what it was asked about bulk sends, and what it answers otherwise than yes. */
export class TemplatesStandIn {
  readonly asked: { readonly rpc: string; readonly request: unknown }[] = [];
  isAdmitted = true;
  known: KeyedJob | null = null;
  refusal: AppError | null = null;

  async answer(servers: TestServers): Promise<void> {
    const noted = Object.entries(this.answers()).map(([rpc, answer]) => {
      const note = (request: unknown): unknown => {
        this.asked.push({ rpc, request });
        return answer(request as never);
      };
      return [rpc, note] as const;
    });
    const connection = await (await servers.nats()).connect('templates');
    await answerRpcs(connection, 'templates', Object.fromEntries(noted));
  }

  /** For the next test. */
  forget(): void {
    this.asked.length = 0;
    this.isAdmitted = true;
    this.known = null;
    this.refusal = null;
  }

  requestsOf<Request>(rpc: { readonly subject: string }): readonly Request[] {
    return this.asked.filter((one) => one.rpc === rpc.subject).map(({ request }) => request as Request);
  }

  private answers(): Readonly<Record<string, (request: never) => unknown>> {
    return {
      [beginJobRpc.subject]: () => ({ isAdmitted: this.isAdmitted }),
      [stageRecipientsRpc.subject]: () => ({}),
      [abandonJobRpc.subject]: () => ({}),
      [findJobByKeyRpc.subject]: () => ({ found: this.known }),
      [commitJobRpc.subject]: ({ jobId, total }: CommitJobRequest) => {
        if (this.refusal) throw this.refusal;
        return { job: jobOf(jobId, total), isReplay: false, isMismatch: false };
      },
      [listRecipientsRpc.subject]: (request: unknown) => ({ items: [request] }),
    };
  }
}

/** A job as the stand-in answers it. */
export function jobOf(id: string, total: number): KeyedJob['job'] {
  return { id, status: 'QUEUED', total, createdAt: '2026-01-02T03:04:05.678Z' };
}
