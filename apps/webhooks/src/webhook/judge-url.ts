import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { OutboundHttp } from '@switchboard/outbound-http';

/** Judges the URL of a webhook as each delivery to it is judged. */
@Injectable()
export class JudgeUrl {
  constructor(private readonly outbound: OutboundHttp) {}

  /** The URL to store and to deliver to. @throws VALIDATION_FAILED */
  async require(url: string): Promise<string> {
    const verdict = await this.outbound.judge(url);
    if (verdict.isAllowed) return verdict.url;
    throw new AppError(serviceErrors.VALIDATION_FAILED, verdict.message);
  }
}
