import type { AccountRepository, Sender } from '../account/account.repository.js';
import type { MessageIds } from '../send-message/message-ids.js';
import { Timetable } from '../timetable/timetable.js';
import { CALLBACKS_IN_FLIGHT_MAX, type CallbackClient } from './callback.client.js';
import { callbackBody, replyItem, statusItem, type CallbackItem } from './callback.entity.js';
import type { CallbackJournal, PendingMessage } from './callback-journal.repository.js';
import type { Step } from './status-plan.policy.js';
import type { TakenStatus, TakenStatuses } from './taken-statuses.repository.js';

/** Most items in one callback; the provider joins what falls due together when there is much. */
const ITEMS_PER_CALLBACK_MAX = 50;
/** Messages whose callbacks are pending; beyond it the simulator refuses new ones, which keeps its memory bounded. */
const PENDING_MAX = 500_000;
const RETRY_DELAY_MS = 250;
const RETRY_DELAY_MS_MAX = 15_000;
/** Source: the provider retries a callback for up to 7 days. */
const GIVE_UP_AFTER_MS = 7 * 24 * 3_600_000;

interface Progress {
  readonly message: PendingMessage;
  next: number;
  /** Steps not yet taken by the receiver. */
  left: number;
}

interface Batch {
  readonly body: string;
  readonly progress: readonly Progress[];
  /** Reports the statuses of accepted messages. */
  readonly statuses: readonly TakenStatus[];
  readonly madeAtMs: number;
  attempts: number;
}

/**
 * Sends callbacks when they are due and again until the receiver answers 200: after 250 ms, then twice as long each time up
 * to 15 s, ± 20 %, for 7 days. At most 16 at once; what waits meanwhile goes together, up to 50 items a callback.
 */
export class DeliverCallbacks {
  readonly #due = new Timetable<Progress>((items) => this.#takeDue(items));
  readonly #retries = new Timetable<Batch>((batches) => {
    this.#ready.push(...batches);
    this.#pump();
  });
  readonly #fresh: { sender: Sender; item: CallbackItem; step: Step; progress: Progress }[] = [];
  readonly #ready: Batch[] = [];
  #inFlight = 0;
  #pending = 0;
  #stopped = false;

  constructor(
    private readonly client: CallbackClient,
    private readonly journal: CallbackJournal,
    private readonly taken: TakenStatuses,
    private readonly accounts: AccountRepository,
    private readonly ids: MessageIds,
    private readonly random: () => number,
  ) {}

  /** Takes up what an earlier run left. */
  start(): void {
    for (const message of this.journal.recovered) this.#enter(message);
  }

  /** Whether there is no room for another message. */
  get isFull(): boolean {
    return this.#pending >= PENDING_MAX;
  }

  /** How much is waiting: messages with callbacks to come, callbacks under way, and callbacks that wait to be tried again. */
  snapshot(): { readonly pendingMessages: number; readonly inFlight: number; readonly retrying: number } {
    return {
      pendingMessages: this.#pending,
      inFlight: this.#inFlight,
      retrying: this.#retries.size + this.#ready.length,
    };
  }

  /** Takes on the callbacks of an accepted message. They are lost, like the provider's, while there is no callback URL. */
  schedule(message: Omit<PendingMessage, 'number'>): void {
    if (this.client.target.url === null || message.steps.length === 0) return;
    this.#enter(this.journal.add(message));
  }

  /** Sends a body now; when it is not taken it is tried again in the background. Gives the first attempt's status, or undefined. */
  async submit(body: string): Promise<number | undefined> {
    const status = await this.client.post(body);
    if (status !== 200 && this.client.target.url !== null) {
      this.#retry({ body, progress: [], statuses: [], madeAtMs: Date.now(), attempts: 1 });
    }
    return status;
  }

  /** Stops sending; what is pending stays in the journal. */
  stop(): void {
    this.#stopped = true;
    this.#due.clear();
    this.#retries.clear();
  }

  #enter(message: PendingMessage): void {
    this.#pending += 1;
    const progress: Progress = { message, next: 0, left: message.steps.length };
    const first = message.steps[0];
    if (first) this.#due.add(first.dueAtMs, progress);
    else this.#finish([progress]);
  }

  #takeDue(items: readonly Progress[]): void {
    const nowMs = Date.now();
    for (const progress of items) {
      const sender = this.accounts.findSender(progress.message.phoneNumberId);
      if (!sender) {
        // The account was removed meanwhile: there is no receiver.
        progress.left = 0;
        this.#finish([progress]);
        continue;
      }
      for (let step = stepOf(progress); step; step = stepOf(progress)) {
        if (step.dueAtMs > nowMs) {
          this.#due.add(step.dueAtMs, progress);
          break;
        }
        this.#fresh.push({ sender, item: this.#itemOf(sender, progress.message, step), step, progress });
        progress.next += 1;
      }
    }
    this.#pump();
  }

  #itemOf(sender: Sender, message: PendingMessage, step: Step): CallbackItem {
    if (step.kind === 'status') return statusItem(message, step);
    return replyItem(message, step, { messageId: this.ids.next(), senderPhone: sender.phone.displayPhone });
  }

  #pump(): void {
    while (!this.#stopped && this.#inFlight < CALLBACKS_IN_FLIGHT_MAX) {
      const batch = this.#ready.shift() ?? this.#freshBatch();
      if (!batch) return;
      this.#inFlight += 1;
      void this.#attempt(batch);
    }
  }

  #freshBatch(): Batch | undefined {
    if (this.#fresh.length === 0) return undefined;
    const items = this.#fresh.splice(0, ITEMS_PER_CALLBACK_MAX);
    return {
      body: callbackBody(items),
      progress: items.map((item) => item.progress),
      statuses: items.flatMap(({ progress, step }) =>
        step.kind === 'status' ? [{ id: progress.message.messageId, status: step.status }] : [],
      ),
      madeAtMs: Date.now(),
      attempts: 0,
    };
  }

  async #attempt(batch: Batch): Promise<void> {
    const status = await this.client.post(batch.body);
    this.#inFlight -= 1;
    if (this.#stopped) return;
    batch.attempts += 1;
    if (status === 200) this.taken.add(batch.statuses);
    if (status === 200 || Date.now() - batch.madeAtMs > GIVE_UP_AFTER_MS) {
      for (const progress of batch.progress) progress.left -= 1;
      this.#finish(batch.progress.filter((progress, at, all) => progress.left === 0 && all.indexOf(progress) === at));
    } else this.#retry(batch);
    this.#pump();
  }

  #retry(batch: Batch): void {
    const delayMs = Math.min(RETRY_DELAY_MS * 2 ** Math.min(batch.attempts - 1, 10), RETRY_DELAY_MS_MAX);
    this.#retries.add(Date.now() + delayMs * (0.8 + 0.4 * this.random()), batch);
  }

  #finish(finished: readonly Progress[]): void {
    this.#pending -= finished.length;
    this.journal.done(finished.map((progress) => progress.message.number));
  }
}

function stepOf(progress: Progress): Step | undefined {
  return progress.message.steps[progress.next];
}
