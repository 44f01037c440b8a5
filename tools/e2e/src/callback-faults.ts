import { createHmac } from 'node:crypto';

/** JSON of any kind. */
type Json = unknown;

/** What may stand anywhere, instead of what should: each kind of JSON, and texts and numbers that trip somebody. */
const FAULTS: readonly Json[] = [
  null,
  true,
  -1.5,
  1e300,
  '',
  'a\u0000b',
  '\ud800',
  'x'.repeat(5_000),
  [],
  {},
  [[[]]],
  [null, 7, { id: 'x' }],
  { type: 'text', id: 5, __proto__: null, constructor: 'x', toString: 1 },
];
/** Stands for a member that is missing. */
const MISSING = Symbol('missing');

/** A JSON value with every one of its parts replaced by every fault, or missing: one fault each. */
export function* faultyForms(value: Json): Generator<Json> {
  for (const fault of [...FAULTS, MISSING]) yield* replaced(value, fault);
}

function* replaced(value: Json, fault: unknown): Generator<Json> {
  if (fault !== MISSING) yield fault;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    const others = Object.entries(value).filter(([other]) => other !== name);
    if (fault === MISSING) yield Array.isArray(value) ? others.map(([, one]) => one) : Object.fromEntries(others);
    for (const form of replaced(part, fault)) {
      yield Array.isArray(value)
        ? value.map((one: unknown, index) => (String(index) === name ? form : one))
        : { ...value, [name]: form };
    }
  }
}

/** JSON so deep that writing it again by calls overflows the stack. */
export function deepJson(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

/** Brings callbacks to the gateway as the provider does. */
export class CallbackSender {
  private constructor(
    private readonly url: string,
    private readonly appSecret: string,
  ) {}

  /** @param simulatorUrl knows where callbacks go, and the secret of their signature */
  static async through(simulatorUrl: string): Promise<CallbackSender> {
    const target = (await (await fetch(`${simulatorUrl}/_sim/callback`)).json()) as { url: string; appSecret: string };
    return new CallbackSender(target.url, target.appSecret);
  }

  /** @param body as it goes over the wire, signed. @returns the status of the answer */
  async send(body: string): Promise<number> {
    const signature = `sha256=${createHmac('sha256', this.appSecret).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const answer = await fetch(this.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) });
    await answer.arrayBuffer();
    return answer.status;
  }
}
