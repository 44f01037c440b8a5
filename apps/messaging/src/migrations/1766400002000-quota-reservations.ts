import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  reservationFunctions,
  reservationFunctionsReversal,
  reservationTables,
  reservationTablesReversal,
} from './bulk/reservations.sql.js';
import { quotaFunctions } from './initial/quota.sql.js';

/** Quota set apart for jobs. Lock: none that matters, the tables are new. Reversal: drops what it made. */
export class QuotaReservations1766400002000 implements MigrationInterface {
  readonly name = 'QuotaReservations1766400002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(reservationTables);
    await runner.query(reservationFunctions);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(reservationFunctionsReversal);
    await runner.query(quotaFunctions);
    await runner.query(reservationTablesReversal);
  }
}
