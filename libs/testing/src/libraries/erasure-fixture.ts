import { ErasureTurnsMigration, erasureTable } from '@switchboard/platform';

/** What a service has that erases. */
export class Erasure1764000000001 extends ErasureTurnsMigration {
  readonly name = 'Erasure1764000000001';

  override async up(runner: Parameters<ErasureTurnsMigration['up']>[0]): Promise<void> {
    await runner.query(erasureTable);
    await super.up(runner);
  }
}
