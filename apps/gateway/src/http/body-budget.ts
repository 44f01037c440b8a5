import { Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../network/network.policy.js';

const MIB = 1_024 * 1_024;
/** When a share may be free again. */
const RETRY_AFTER_SECONDS = 1;

/** Bytes of bodies under way: all together in a process, and those of one organization or network. */
interface Lane {
  readonly bytesMax: number;
  readonly ofOneBytesMax: number;
  /** The refusal of one that has its part already. */
  readonly ofOneError: typeof gatewayErrors.RATE_LIMITED | typeof serviceErrors.SERVICE_UNAVAILABLE;
}

/**
 * Of every body so much is free: whoever holds what there is with bodies that do not end keeps no ordinary request out. What these come to
 * is bounded by the number of connections.
 */
const FREE_BYTES = 64 * 1_024;

/** What one kind of caller takes, the other still has. Source: docs/api-behaviour.md#body-size. */
const LANES = {
  tenants: { bytesMax: 64 * MIB, ofOneBytesMax: 8 * MIB, ofOneError: gatewayErrors.RATE_LIMITED },
  /** Callbacks, as forms are smaller than what is free: anybody may send them, and their signature is known at their end. */
  public: { bytesMax: 32 * MIB, ofOneBytesMax: 16 * MIB, ofOneError: serviceErrors.SERVICE_UNAVAILABLE },
} satisfies Record<string, Lane>;

/** What a request has taken of the budget. */
export interface BodyShare {
  /** Takes more. @returns why the body is refused, or null */
  take(bytes: number): AppError | null;
  /** Gives all of it back; may be called more than once. */
  release(): void;
}

/** Bounds the memory of bodies that are being read: how many there are at once, nothing else does. */
@Injectable()
export class BodyBudget {
  private readonly budgets = {
    tenants: new LaneBudget(LANES.tenants),
    public: new LaneBudget(LANES.public),
  };

  /** The share of a request: of its organization, or of the network of a stranger. */
  shareOf(request: FastifyRequest): BodyShare {
    const { organizationId } = request.state;
    if (organizationId !== null) return this.budgets.tenants.share(organizationId);
    return this.budgets.public.share(networkOf(request.state.address));
  }
}

class LaneBudget {
  private readonly bytesOf = new Map<string, number>();
  private bytes = 0;

  constructor(private readonly lane: Lane) {}

  share(holder: string): BodyShare {
    let [read, taken] = [0, 0];
    return {
      take: (bytes) => {
        read += bytes;
        const counted = Math.max(0, read - FREE_BYTES) - taken;
        const refusal = counted > 0 ? this.refusalOf(holder, counted) : null;
        if (refusal) return refusal;
        taken += counted;
        this.add(holder, counted);
        return null;
      },
      release: () => {
        this.add(holder, -taken);
        taken = 0;
      },
    };
  }

  private refusalOf(holder: string, bytes: number): AppError | null {
    const { bytesMax, ofOneBytesMax, ofOneError } = this.lane;
    const isOfOne = (this.bytesOf.get(holder) ?? 0) + bytes > ofOneBytesMax;
    if (!isOfOne && this.bytes + bytes <= bytesMax) return null;
    const error = isOfOne ? ofOneError : serviceErrors.SERVICE_UNAVAILABLE;
    return new AppError(error, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  private add(holder: string, bytes: number): void {
    const left = (this.bytesOf.get(holder) ?? 0) + bytes;
    this.bytes += bytes;
    if (left > 0) this.bytesOf.set(holder, left);
    else this.bytesOf.delete(holder);
  }
}
