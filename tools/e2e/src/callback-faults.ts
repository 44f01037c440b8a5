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

/** Has callbacks brought to the gateway as the provider does: signed, and otherwise as they are given. */
export class CallbackSender {
  private constructor(private readonly simulatorUrl: string) {}

  /** @param simulatorUrl knows where callbacks go, and the secret of their signature, which it does not reveal */
  static async through(simulatorUrl: string): Promise<CallbackSender> {
    return new CallbackSender(simulatorUrl);
  }

  /** @param body as it goes over the wire. @returns the status of the answer; 0: there was none */
  async send(body: string): Promise<number> {
    const answer = await fetch(`${this.simulatorUrl}/_sim/callbacks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ body }),
      signal: AbortSignal.timeout(30_000),
    });
    return ((await answer.json()) as { delivered: number | null }).delivered ?? 0;
  }
}
