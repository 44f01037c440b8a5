import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseJson } from '../json/json-value.js';
import { DEFAULT_ACCOUNTS, parseAccounts, type Account, type PhoneNumber } from './account.entity.js';

/** A phone number together with the account that it belongs to. */
export interface Sender {
  readonly account: Account;
  readonly phone: PhoneNumber;
}

/** The accounts that exist now. Those that were set last are in a file that its owner alone can read, for they have tokens. */
export class AccountRepository {
  #accounts: readonly Account[] = [];
  #byPhoneNumberId = new Map<string, Sender>();
  #tokens = new Set<string>();
  readonly #refused = new Set<string>();

  /** @param accounts in place of those in the file; null: those, or the example where there are none. */
  constructor(
    private readonly file: string,
    accounts: readonly Account[] | null,
  ) {
    this.#take(accounts ?? this.#read() ?? DEFAULT_ACCOUNTS);
  }

  /** All accounts, in the order given. */
  get all(): readonly Account[] {
    return this.#accounts;
  }

  /** Replaces all accounts, over restarts too. */
  replace(accounts: readonly Account[]): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(accounts), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
    this.#take(accounts);
  }

  #read(): readonly Account[] | null {
    return existsSync(this.file) ? parseAccounts(parseJson(readFileSync(this.file, 'utf8')), this.file) : null;
  }

  #take(accounts: readonly Account[]): void {
    this.#accounts = accounts;
    this.#tokens = new Set(accounts.map((account) => account.token));
    this.#byPhoneNumberId = new Map(
      accounts.flatMap((account) => account.phoneNumbers.map((phone) => [phone.id, { account, phone }] as const)),
    );
  }

  /** Whether any account has this token. */
  hasToken(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Phone number ids whose token is refused. */
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  /** Refuses the token of one phone number from now on, or takes it again. */
  refuse(phoneNumberId: string, isRefused: boolean): void {
    if (isRefused) this.#refused.add(phoneNumberId);
    else this.#refused.delete(phoneNumberId);
  }

  /** Whether the token of the phone number is refused. */
  isRefused(phoneNumberId: string): boolean {
    return this.#refused.has(phoneNumberId);
  }

  /** The sender with the provider's phone number id, or undefined. */
  findSender(phoneNumberId: string): Sender | undefined {
    return this.#byPhoneNumberId.get(phoneNumberId);
  }

  /** The account with this WABA id, or undefined. */
  findByWabaId(wabaId: string): Account | undefined {
    return this.#accounts.find((account) => account.wabaId === wabaId);
  }

  /** The sender whose displayed number has the same digits, or undefined. */
  findByDisplayPhone(displayPhone: string): Sender | undefined {
    const digits = displayPhone.replaceAll(/\D/g, '');
    for (const sender of this.#byPhoneNumberId.values()) {
      if (sender.phone.displayPhone.replaceAll(/\D/g, '') === digits) return sender;
    }
    return undefined;
  }

  /** The first phone number of the first account, for control requests that name none. */
  firstSender(): Sender | undefined {
    return this.#byPhoneNumberId.values().next().value;
  }
}
