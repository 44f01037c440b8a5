/** A refusal or failure of the API, as pages show it. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    /** 0: no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    /** What support needs to find the request; null when no answer came. */
    readonly requestId: string | null,
    readonly retryAfterSeconds: number | null = null,
    /** The provider's own code where it refused the message: that message is stored, and FAILED. */
    readonly upstreamCode: string | null = null,
    /** It is the stored answer of an idempotency key. */
    readonly isReplayed = false,
  ) {
    super(message);
  }
}

/** Any thrown value as a problem; a mistake of the console itself keeps its message. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem(0, 'CONSOLE_ERROR', thrown instanceof Error ? thrown.message : String(thrown), null);
}

/** Throws anything thrown as a problem; the end of a request that is given up stays what it is. */
export function rethrow(thrown: unknown): never {
  if (thrown instanceof DOMException) throw thrown;
  throw problemOf(thrown);
}

/** Whether a change that failed so may have been carried out: no answer came, or one that the service failed. */
export function mayBeDone({ status }: Pick<Problem, 'status'>): boolean {
  return status === 0 || status >= 500;
}

/** Reads a refusal's envelope; an answer of something in between (a proxy) has none. */
export async function problemFrom(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after'));
  const wait = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null;
  const { code, message } = envelopeIn(text) ?? {
    code: 'NO_ENVELOPE',
    message: `The server answered ${response.status} without saying why.`,
  };
  return new Problem(
    response.status,
    code,
    message,
    requestId,
    wait,
    response.headers.get('x-upstream-code'),
    response.headers.has('idempotent-replayed'),
  );
}

function envelopeIn(text: string): { code: string; message: string } | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.code !== 'string' || typeof error.message !== 'string') return null;
    return { code: error.code, message: error.message };
  } catch {
    return null;
  }
}
