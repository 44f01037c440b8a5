import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutcomeUnknown, sqlState, type Database } from '@switchboard/postgres';
import fc from 'fast-check';

/** A batch under test, on a database of its own. */
export interface CoalesceSubject<I> {
  /** The coalesced function. */
  call(item: I): Promise<unknown>;
  /** Sizes of the batches that were run so far, repetitions and halves included. */
  readonly batchSizes: readonly number[];
  /** Empties the tables. */
  clear(): Promise<void>;
  /**
   * Rows and events of one tenant in a stable order, without times. Minted cuids may stay: they are compared by the order
   * of their first appearance.
   */
  stored(tenant: string): Promise<unknown>;
  /** Ends what the subject opened. */
  close?(): Promise<void>;
}

/** A user of `coalesce` that is to be held to the law. */
export interface CoalesceLawSpec<I> {
  readonly name: string;
  open(): Promise<CoalesceSubject<I>>;
  /** Items of the two tenants `calice` and `cbob`, with few keys, so that they meet. */
  readonly items: fc.Arbitrary<I>;
  readonly tenant: (item: I) => string;
  /** An item that the database refuses (SQLSTATE class 22 or 23), however often it is tried. */
  readonly poison: I;
  /** Items that surely write to `table`, at least two. */
  readonly writing: readonly I[];
  readonly table: string;
  /** On the subject's database, to break it. */
  superuser(): Promise<Database>;
}

const TENANTS = ['calice', 'cbob'] as const;
const RUNS = 25;

/**
 * The law of `coalesce`, as tests: a batch leaves the same rows, events and answers as its items one after the other,
 * with equal keys, with two tenants, with a row that the database refuses, and with a connection that is killed at COMMIT.
 *
 * Source: ADR 0008.
 */
export function describeCoalesceLaw<I>(spec: CoalesceLawSpec<I>): void {
  describe(`${spec.name} as a batch`, () => {
    let subject: CoalesceSubject<I>;
    beforeAll(async () => (subject = await spec.open()));
    afterAll(() => subject.close?.());

    /** Runs items anew and returns what each tenant sees of it. */
    const outcomeOf = async (
      items: readonly I[],
      run: (items: readonly I[]) => Promise<unknown[]>,
    ): Promise<string[]> => {
      await subject.clear();
      const answers = await run(items);
      return Promise.all(
        TENANTS.map(async (tenant) => {
          const own = answers.filter(
            (_answer, index) => items[index] !== undefined && spec.tenant(items[index]) === tenant,
          );
          return numberCuids(JSON.stringify({ own, stored: await subject.stored(tenant) }, sortKeys, 1));
        }),
      );
    };
    const oneByOne = async (items: readonly I[]): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (const item of items) answers.push(await settled(subject.call(item)));
      return answers;
    };
    const atOnce = (items: readonly I[]): Promise<unknown[]> =>
      Promise.all(items.map((item) => settled(subject.call(item))));

    it('leaves the same rows, events and answers as its items one by one', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(spec.items, { minLength: 2, maxLength: 12 }), async (items) => {
          const expected = await outcomeOf(items, oneByOne);
          const batchesBefore = subject.batchSizes.length;
          expect(await outcomeOf(items, atOnce)).toEqual(expected);
          // Else the property compares one by one with itself.
          expect(subject.batchSizes.slice(batchesBefore)).toEqual([items.length]);
        }),
        { numRuns: RUNS },
      );
    });

    it('refuses a poison item alone, wherever it stands, and does the others as if it were not there', async () => {
      const batches = fc.tuple(
        fc.array(spec.items, { maxLength: 5 }),
        fc.array(spec.items, { minLength: 1, maxLength: 5 }),
      );
      await fc.assert(
        fc.asyncProperty(batches, async ([before, after]) => {
          const items = [...before, spec.poison, ...after];
          const expected = await outcomeOf(items, oneByOne);
          expect(await outcomeOf(items, atOnce)).toEqual(expected);
          expect(expected.join('').match(/"refused"/g)).toHaveLength(1);
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    });

    it('answers every item OutcomeUnknown when the connection is killed at COMMIT, and can be repeated', async () => {
      const superuser = await spec.superuser();
      await subject.clear();
      const untouched = await Promise.all(TENANTS.map((tenant) => subject.stored(tenant)));
      await superuser.dataSource.query(killAtCommit(spec.table));
      const outcomes = await Promise.allSettled(spec.writing.map((item) => subject.call(item)));
      await superuser.dataSource.query(`DROP TRIGGER law_kill ON ${spec.table}; DROP FUNCTION law_kill()`);
      for (const outcome of outcomes) {
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(OutcomeUnknown);
      }
      expect(await Promise.all(TENANTS.map((tenant) => subject.stored(tenant)))).toEqual(untouched);
      const again = await Promise.allSettled(spec.writing.map((item) => subject.call(item)));
      expect(again.filter(({ status }) => status === 'rejected')).toEqual([]);
    });
  });
}

async function settled(answer: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await answer };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : String(error);
    return { refused: sqlState(error) ?? code };
  }
}

/** The order of an object's keys means nothing. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Minted ids differ from run to run; that the same one is meant does not. */
function numberCuids(text: string): string {
  const numbers = new Map<string, number>();
  return text.replace(/\bc[0-9a-z]{24}\b/g, (id) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `id${number}`;
  });
}

/** A deferred trigger runs inside COMMIT: the session ends there, whatever the timing. */
function killAtCommit(table: string): string {
  return `
    CREATE FUNCTION law_kill() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid());
      PERFORM pg_sleep(10);
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER law_kill AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION law_kill();
  `;
}
