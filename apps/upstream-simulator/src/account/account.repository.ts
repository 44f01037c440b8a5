import type { Account, PhoneNumber } from './account.entity.js';

/** A phone number together with the account that it belongs to. */
export interface Sender {
  readonly account: Account;
  readonly phone: PhoneNumber;
}

/** The accounts that exist now, in memory: the environment names them at every start. */
export class AccountRepository {
  #accounts: readonly Account[] = [];
  #byPhoneNumberId = new Map<string, Sender>();
  #tokens = new Set<string>();

  constructor(accounts: readonly Account[]) {
    this.replace(accounts);
  }

  /** All accounts, in the order given. */
  get all(): readonly Account[] {
    return this.#accounts;
  }

  /** Replaces all accounts. */
  replace(accounts: readonly Account[]): void {
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
