import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';
import type { MasterKeys } from '@switchboard/secrets';
import { MASTER_KEYS } from '../master-keys.contract.js';
import { DEVICE_KNOWN_MS } from '../signed-in.contract.js';
import type { UserRow } from '../user/user.repository.js';

const NONCE_BYTES = 16;
/** In seconds. */
const TIME_BYTES = 5;
const EPOCH_BYTES = 4;
const MAC_BYTES = 32;
const SIGNED_BYTES = NONCE_BYTES + TIME_BYTES + EPOCH_BYTES;
/** Accounts that one browser is remembered for; the one that signed in last is the first. */
const DEVICES_MAX = 5;
const TOKEN = new RegExp(`^[\\w-]{${((SIGNED_BYTES + MAC_BYTES) / 3) * 4}}$`);

/** A browser that an account has known, as its mark says. */
export interface Device {
  /** Hexadecimal digits. */
  readonly id: string;
  /** The account knows the browser as long as this is its own `deviceEpoch`. */
  readonly epoch: number;
}

/**
 * Signed marks of browsers in which the password of an account was right: their failures are counted apart from those of
 * strangers, so that no stranger can use up the attempts of a person in their own browser.
 *
 * A cookie holds a mark for each of a few accounts: a random nonce, when the account was last signed in to, its epoch then, and an
 * HMAC over these and the account under a key that follows from the master key. It says nothing of the account and opens
 * nothing: the password is checked all the same. A new password, an operator's reset and a second factor that is enabled begin
 * another epoch, and whoever had collected marks until then is a stranger.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
@Injectable()
export class DeviceCookies {
  /** The current one first; one that signs with the previous master key is still known. */
  private readonly keys: readonly Buffer[];

  constructor(
    @Inject(MASTER_KEYS) { current, previous }: MasterKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.keys = [current, ...(previous === null ? [] : [previous])].map((key) =>
      Buffer.from(hkdfSync('sha256', key, '', 'switchboard device cookie', 32)),
    );
  }

  /**
   * The device that a cookie shows for an account; null for a stranger, and after half a year.
   *
   * @param email in small letters
   */
  deviceOf(cookie: string | null, email: string): Device | null {
    const mark = marksIn(cookie).find((one) => this.isOf(one, email));
    if (mark === undefined) return null;
    const signedInMs = mark.readUIntBE(NONCE_BYTES, TIME_BYTES) * 1_000;
    if (signedInMs <= this.clock.now() - DEVICE_KNOWN_MS) return null;
    return {
      id: mark.subarray(0, NONCE_BYTES).toString('hex'),
      epoch: mark.readUIntBE(NONCE_BYTES + TIME_BYTES, EPOCH_BYTES),
    };
  }

  /** The cookie after the password of an account was right: a device that it knows stays the same, another becomes one. */
  renewed(cookie: string | null, { email, deviceEpoch }: Pick<UserRow, 'email' | 'deviceEpoch'>): string {
    const known = this.deviceOf(cookie, email);
    const nonce = known?.epoch === deviceEpoch ? Buffer.from(known.id, 'hex') : randomBytes(NONCE_BYTES);
    const own = this.sign(nonce, email, deviceEpoch);
    const others = marksIn(cookie).filter((mark) => !this.isOf(mark, email));
    return [own, ...others]
      .slice(0, DEVICES_MAX)
      .map((mark) => mark.toString('base64url'))
      .join('.');
  }

  private sign(nonce: Buffer, email: string, epoch: number): Buffer {
    const [key] = this.keys;
    if (!key) throw new Error('there is no master key');
    const signed = Buffer.alloc(SIGNED_BYTES);
    nonce.copy(signed);
    signed.writeUIntBE(Math.floor(this.clock.now() / 1_000), NONCE_BYTES, TIME_BYTES);
    signed.writeUIntBE(epoch, NONCE_BYTES + TIME_BYTES, EPOCH_BYTES);
    return Buffer.concat([signed, macOf(key, email, signed)]);
  }

  private isOf(mark: Buffer, email: string): boolean {
    const [signed, mac] = [mark.subarray(0, SIGNED_BYTES), mark.subarray(SIGNED_BYTES)];
    return this.keys.some((key) => timingSafeEqual(macOf(key, email, signed), mac));
  }
}

function marksIn(cookie: string | null): readonly Buffer[] {
  const tokens = (cookie ?? '').split('.', DEVICES_MAX).filter((token) => TOKEN.test(token));
  return tokens.map((token) => Buffer.from(token, 'base64url'));
}

function macOf(key: Buffer, email: string, signed: Buffer): Buffer {
  return createHmac('sha256', key).update(signed).update(email).digest();
}
