import type { SendTemplateBody } from '../../api/api.generated.js';
import { watchDraft } from '../../api/held-page.js';
import { problemOf, type Problem } from '../../api/problem.js';
import { Watchers } from '../../api/watchers.js';
import type { CsvTable } from './csv.js';
import { newestReading } from './newest-reading.js';
import type { Mapping } from './recipients.js';
import { sendInBulk, type SentInBulk } from './send-in-bulk.js';

/** A chosen file, as it was read. */
export interface ChosenFile {
  readonly name: string;
  readonly table: CsvTable;
}

/** What the form of a new bulk send holds. */
export interface BulkSendDraftState {
  readonly templateId: string | null;
  /** Null: the default channel. */
  readonly channelId: string | null;
  readonly file: ChosenFile | null;
  /** Why the file that was chosen last cannot be used. */
  readonly fileProblem: string | null;
  /** Null: as the headings suggest. */
  readonly mapping: Mapping | null;
  readonly throttle: number | '';
  /** As its field has it; empty: at once. */
  readonly scheduled: string;
  readonly isSending: boolean;
  /** What was sent last, while it is under way or has failed. */
  readonly body: SendTemplateBody | null;
  /** Why the last send failed. */
  readonly problem: Problem | null;
}

type Fields = Omit<BulkSendDraftState, 'file' | 'fileProblem' | 'isSending' | 'body' | 'problem'>;

const EMPTY: BulkSendDraftState = {
  templateId: null,
  channelId: null,
  file: null,
  fileProblem: null,
  mapping: null,
  throttle: '',
  scheduled: '',
  isSending: false,
  body: null,
  problem: null,
};

/** A new bulk send that is not sent yet. A chosen file, and all that was chosen with it, stays while other pages are read. */
export class BulkSendDraft {
  private state = EMPTY;
  /** The visit of the page that was followed last, and the template that one asked for while another was sent. */
  private visit: string | undefined;
  private next: string | null = null;
  private readonly watchers = new Watchers();
  private readonly follow = newestReading();

  /** The present state: the same object until it changes. */
  readonly read = (): BulkSendDraftState => this.state;

  /** Calls back after each change. @returns ends it */
  readonly subscribe: Watchers['watch'] = this.watchers.watch;

  /**
   * The page is opened: without a file it begins anew.
   *
   * @param templateId that the page's address names
   * @param visit another one whenever a link is followed; Back leads to a former one, and takes nothing back
   */
  open(templateId: string | undefined, visit: string): void {
    const { file, isSending } = this.state;
    const isNew = visit !== this.visit;
    this.visit = visit;
    if (isSending) {
      // What is being sent stays as it is: in doubt it must be the same when it is sent again.
      if (isNew) this.next = templateId ?? null;
    } else if (!file) this.change({ ...EMPTY, templateId: templateId ?? null });
    else if (isNew && templateId !== undefined) this.write({ templateId, mapping: null });
  }

  /** Puts values into the form. */
  write(fields: Partial<Fields>): void {
    this.change(fields);
  }

  /** Takes a file once it is read, unless another is chosen meanwhile. */
  choose(name: string, reading: Promise<CsvTable>): void {
    this.change({ mapping: null, fileProblem: null });
    this.follow(
      reading,
      (table) => this.change({ file: { name, table } }),
      (error) => this.change({ file: null, fileProblem: error instanceof Error ? error.message : String(error) }),
    );
  }

  /** Forgets the file and all that was chosen with it. */
  discard(): void {
    this.forgetReading();
    this.change(EMPTY);
  }

  /**
   * Sends it; no other file is taken meanwhile. What was accepted is a draft no more; what was not stays, with the problem.
   *
   * @param wordsOf the message of a refusal as the page shows it
   * @throws Problem
   */
  async send(body: SendTemplateBody, wordsOf: (message: string) => string): Promise<SentInBulk> {
    this.forgetReading();
    this.next = null;
    this.change({ isSending: true, body, problem: null });
    try {
      const sent = await sendInBulk(body);
      this.change({ ...EMPTY, templateId: this.next });
      return sent;
    } catch (error) {
      const problem = problemOf(error);
      this.change({ isSending: false, problem: { ...problem, message: wordsOf(problem.message) } });
      throw error;
    }
  }

  /** A file that is still being read will not be taken. */
  private forgetReading(): void {
    this.follow(
      Promise.resolve(),
      () => undefined,
      () => undefined,
    );
  }

  private change(change: Partial<BulkSendDraftState>): void {
    this.state = { ...this.state, ...change };
    this.watchers.announce();
  }
}

/** The one of this tab: no reload of the page keeps a file. */
export const bulkSendDraft = new BulkSendDraft();

watchDraft(() => bulkSendDraft.read().file !== null);
