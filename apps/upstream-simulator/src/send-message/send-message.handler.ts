import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountRepository } from '../account/account.repository.js';
import type { WriteGroup } from '../append-file/write-group.js';
import type { DeliverCallbacks } from '../callback/deliver-callbacks.worker.js';
import { planSteps } from '../callback/status-plan.policy.js';
import { sendAnswer, tokenOf } from '../contract/provider-http.js';
import { asObject, asText, parseJson } from '../json/json-value.js';
import type { KnobsRepository } from '../knobs/knobs.repository.js';
import {
  FAULT_WITHOUT_BODY,
  refusal,
  unknownObject,
  type ProviderAnswer,
} from '../provider-error/provider-error.entity.js';
import type { OpenRequests } from '../request-log/open-requests.js';
import type { RequestLog, Ticket } from '../request-log/request-log.repository.js';
import type { TemplateRepository } from '../template/template.repository.js';
import { Timetable } from '../timetable/timetable.js';
import type { Limits } from './limit.policy.js';
import type { RefusalCount } from './magic-recipient.policy.js';
import type { MessageIds } from './message-ids.js';
import { readMessage, type MessageRequest } from './message-shape.policy.js';
import { templateFault } from './template-parameters.policy.js';
import { decideVerdict, type Verdict } from './verdict.policy.js';
import { waIdOf } from './wa-id.policy.js';

const BODY_BYTES_MAX = 1 << 20;

/** What sending works with. */
export interface SendMessageParts {
  readonly accounts: AccountRepository;
  readonly templates: TemplateRepository;
  readonly knobs: KnobsRepository;
  readonly refusals: RefusalCount;
  readonly limits: Limits;
  readonly log: RequestLog;
  readonly open: OpenRequests;
  readonly group: WriteGroup;
  readonly worker: DeliverCallbacks;
  readonly ids: MessageIds;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds that the slow magic recipient takes: 10 s, less in tests. */
  readonly slowAnswerMs: number;
}

type Accepted = Extract<Verdict, { kind: 'accept' }>;

interface Taken {
  readonly response: ServerResponse;
  readonly ticket: Ticket;
  readonly phoneNumberId: string;
}

/**
 * `POST /{version}/{phone-number-id}/messages`. A request is taken, and recorded, when its body has been read; from then on it is
 * carried through whether or not the client still waits, as the provider does.
 */
export class SendMessage {
  readonly #later = new Timetable<() => void>((answers) => {
    for (const answer of answers) answer();
  });

  constructor(private readonly parts: SendMessageParts) {}

  /** Reads the request and answers it. */
  handle(request: IncomingMessage, response: ServerResponse, phoneNumberId: string): void {
    const { open } = this.parts;
    open.enter();
    response.once('close', () => open.leave());
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    });
    request.on('end', () => {
      const text = (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString();
      this.#take(request, response, phoneNumberId, text);
    });
    // A client that goes away before its body is whole: nothing was taken, and `close` has been counted.
    request.on('error', () => undefined);
  }

  /** Forgets the answers that still wait for their time. */
  stop(): void {
    this.#later.clear();
  }

  #take(request: IncomingMessage, response: ServerResponse, phoneNumberId: string, text: string): void {
    const nowMs = Date.now();
    const parsed = parseJson(text);
    const body = asObject(parsed);
    const ticket = this.parts.log.arrived({
      phoneNumberId,
      reference: asText(body?.['biz_opaque_callback_data']) ?? null,
      to: asText(body?.['to']) ?? null,
      body: { text, isJson: parsed !== undefined },
      arrivedAtMs: nowMs,
    });
    const taken = { response, ticket, phoneNumberId };
    const message = this.#check(tokenOf(request), phoneNumberId, parsed);
    if ('status' in message) return this.#answer(taken, message, null);

    const waId = waIdOf(message.to);
    const { type, reference } = message;
    const decided = decideVerdict(
      { phoneNumberId, waId, type, reference, nowMs },
      {
        knobs: this.parts.knobs.current,
        refusals: this.parts.refusals,
        limits: this.parts.limits,
        random: this.parts.random,
      },
    );
    const isQuoted = decided.kind === 'refuse' && this.parts.knobs.current.quoteRequest;
    const verdict = isQuoted ? { ...decided, details: `Refused: ${text}` } : decided;
    const slowMs = verdict.kind === 'accept' && verdict.slow ? this.parts.slowAnswerMs : 0;
    const delayMs = slowMs + this.parts.knobs.current.latencyMs;
    const conclude = (): void => this.#conclude(taken, verdict, message, waId);
    if (delayMs > 0) this.#later.add(nowMs + delayMs, conclude);
    else conclude();
  }

  /** The request as far as it is right, or the refusal of its token, sender, shape or template. */
  #check(token: string | undefined, phoneNumberId: string, parsed: unknown): MessageRequest | ProviderAnswer {
    const { accounts, templates, worker } = this.parts;
    if (token === undefined || !accounts.hasToken(token)) return refusal(190);
    const sender = accounts.findSender(phoneNumberId);
    if (sender?.account.token !== token) return unknownObject(phoneNumberId);
    if (accounts.isRefused(phoneNumberId)) return refusal(190);
    const message = readMessage(parsed);
    if ('code' in message) return refusal(message.code, message.details);
    if (message.template) {
      const { name, language } = message.template;
      const fault = templateFault(templates.find(sender.account.wabaId, name, language), message.template);
      if (fault) return refusal(fault.code, fault.details);
    }
    if (worker.isFull) return refusal(130429, 'The simulator has no room for more callbacks to come');
    return message;
  }

  #conclude(taken: Taken, verdict: Verdict, message: MessageRequest, waId: string): void {
    if (verdict.kind === 'refuse') this.#answer(taken, refusal(verdict.code, verdict.details), null);
    else if (verdict.kind === 'fault') this.#answer(taken, FAULT_WITHOUT_BODY, null);
    else this.#accept(taken, verdict, message, waId);
  }

  #accept(taken: Taken, verdict: Accepted, message: MessageRequest, waId: string): void {
    const messageId = this.parts.ids.next();
    this.parts.worker.schedule({
      messageId,
      recipientId: waId,
      reference: message.reference,
      phoneNumberId: taken.phoneNumberId,
      steps: planSteps(Date.now(), verdict.magic, this.parts.knobs.current, this.parts.random),
    });
    if (verdict.cut) {
      this.parts.log.cut(taken.ticket, messageId);
      this.parts.group.afterWritten(() => taken.response.socket?.destroy());
      return;
    }
    const body =
      `{"messaging_product":"whatsapp","contacts":[{"input":${JSON.stringify(message.to)},"wa_id":"${waId}"}],` +
      `"messages":[{"id":"${messageId}"}]}`;
    this.#answer(taken, { status: 200, body }, messageId);
  }

  #answer({ response, ticket }: Taken, answer: ProviderAnswer, messageId: string | null): void {
    // A client that has given up gets no answer, and the record must not claim that it did.
    if (response.destroyed || response.socket === null) this.parts.log.cut(ticket, messageId);
    else this.parts.log.answered(ticket, { ...answer, messageId, atMs: Date.now() });
    this.parts.group.afterWritten(() => sendAnswer(response, answer));
  }
}
