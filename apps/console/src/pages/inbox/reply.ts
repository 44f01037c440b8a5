import type { SendMessageBody } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { watchDraft } from '../../api/held-page.js';
import { mayBeDone, problemOf, type Problem } from '../../api/problem.js';
import { Watchers } from '../../api/watchers.js';

/** Where a reply goes. */
export type ReplyTarget = Pick<SendMessageBody, 'to' | 'messagingChannelId'>;

/** What a composer shows. */
export interface ReplyState {
  /** What is in the field. */
  readonly text: string;
  readonly isSending: boolean;
  /** Text that was not sent and is not in the field, which holds what was typed meanwhile. */
  readonly unsent: string | null;
  /** Why the last send failed. */
  readonly problem: Problem | null;
}

/**
 * The reply to a conversation. The same text again after a failure is sent under the same key: it goes out once, whatever became of
 * the first request.
 */
export class Reply {
  private state: ReplyState = { text: '', isSending: false, unsent: null, problem: null };
  private readonly watchers = new Watchers();
  private attempt: { readonly body: string; readonly key: string } | null = null;

  /** The present state: the same object until it changes. */
  readonly read = (): ReplyState => this.state;

  /** Calls back after each change. @returns ends it */
  readonly subscribe: Watchers['watch'] = this.watchers.watch;

  /** Puts a text into the field. */
  write(text: string): void {
    this.change({ text });
  }

  /**
   * Sends what is in the field, and empties it; what was not sent comes back, unless other text was typed meanwhile.
   *
   * @returns the message's id; null when there is nothing to send, another reply is under way or unsent, or it failed (`problem`)
   */
  async send(target: ReplyTarget): Promise<string | null> {
    const { text, isSending, unsent } = this.state;
    if (text.trim() === '' || isSending || unsent !== null) return null;
    this.write('');
    return this.post(target, text);
  }

  /** Sends what was not sent again, and leaves the field as it is. @returns as `send` */
  async sendUnsent(target: ReplyTarget): Promise<string | null> {
    const { isSending, unsent } = this.state;
    return unsent === null || isSending ? null : this.post(target, unsent);
  }

  /** Puts what was not sent into the field, before what was typed meanwhile. */
  editUnsent(): void {
    const { text, unsent } = this.state;
    if (unsent !== null) this.change({ text: text === '' ? unsent : `${unsent}\n${text}`, unsent: null });
  }

  private async post(target: ReplyTarget, text: string): Promise<string | null> {
    const body: SendMessageBody = { ...target, text: text.trim() };
    const key = this.keyOf(JSON.stringify(body));
    this.change({ isSending: true, unsent: null, problem: null });
    try {
      const { id } = await call('sendMessage', { body, headers: { 'idempotency-key': key } });
      this.attempt = null;
      this.change({ isSending: false });
      return id;
    } catch (error) {
      const problem = problemOf(error);
      if (isSettled(problem)) this.attempt = null;
      const failed = this.state.text.trim() === '' ? { text } : { unsent: text };
      this.change({ isSending: false, problem, ...failed });
      return null;
    }
  }

  /** Another body takes another key: under the same one it would be a conflict. */
  private keyOf(body: string): string {
    if (this.attempt?.body !== body) this.attempt = { body, key: crypto.randomUUID() };
    return this.attempt.key;
  }

  private change(change: Partial<ReplyState>): void {
    this.state = { ...this.state, ...change };
    this.watchers.announce();
  }
}

const replies = new Map<string, Reply>();

watchDraft(() =>
  [...replies.values()]
    .map((reply) => reply.read())
    .some(({ text, isSending, unsent }) => text.trim() !== '' || isSending || unsent !== null),
);

/** The reply to a conversation: a draft, and a send under way, stay while another conversation is read. */
export function replyIn(conversationId: string): Reply {
  const reply = replies.get(conversationId) ?? new Reply();
  replies.set(conversationId, reply);
  return reply;
}

/** Whether a reply that failed so may have gone out: no answer came, the service failed, or the first request is under way. */
export function isInDoubt(problem: Problem): boolean {
  return mayBeDone(problem) || problem.status === 409;
}

/**
 * Whether the key has its last answer, of the provider or as it is stored: the same comes for 24 hours, and a new try takes a new one. Any other refusal leaves the key free, or says nothing of the first request.
 * Source: docs/api-behaviour/messages.md, "Idempotency-Key on POST /v1/messages".
 */
function isSettled({ upstreamCode, isReplayed }: Problem): boolean {
  return upstreamCode !== null || isReplayed;
}
