import { assertDescribed } from '@switchboard/check/description/described-answers';

/** An answer of the API, read whole. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** Null when there was no JSON. */
  readonly body: ApiBody | null;
}

/** What tests look at in a body. */
export interface ApiBody {
  readonly id?: string;
  readonly status?: string;
  readonly upstreamMessageId?: string | null;
  readonly error?: { readonly code: string; readonly message: string } | null;
  readonly items?: readonly ApiBody[];
  readonly nextCursor?: string;
  readonly [field: string]: unknown;
}

/** Asks the API as a stranger does: over HTTP, with a key. */
export class Api {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  async get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask('GET', path, undefined, headers);
  }

  async send(to: unknown, text: unknown, more: Record<string, unknown> = {}): Promise<ApiAnswer> {
    return this.ask('POST', '/v1/messages', JSON.stringify({ to, text, ...more }));
  }

  /** Asks for what has to be done. @throws Error when it is refused */
  async must(method: string, path: string, body?: object): Promise<ApiBody> {
    const answer = await this.ask(method, path, body && JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body ?? {};
  }

  /** @param body as it goes over the wire @throws Error when the answer is not one that the description knows */
  async ask(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    const answer = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    assertDescribed({ method, target: path, status: answer.status, headers: answer.headers, text });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? (JSON.parse(text) as ApiBody) : null,
    };
  }
}

/** A request that the upstream received. */
export interface SimulatedRequest {
  readonly reference: string;
  readonly phoneNumberId: string;
  readonly body: unknown;
}

/** What connects a line of the upstream as a channel. */
export interface SimulatedLine {
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  readonly accessToken: string;
}

/** The simulator's control. */
export class Simulator {
  constructor(private readonly url: string) {}

  /** Requests that the upstream received. */
  async requests(query: string): Promise<readonly SimulatedRequest[]> {
    const answer = await fetch(`${this.url}/_sim/requests?limit=1000&${query}`);
    return ((await answer.json()) as { items: SimulatedRequest[] }).items;
  }

  /** A page of all requests that the upstream received, in the order of their arrival. */
  async page(cursor: string): Promise<{
    readonly items: readonly { readonly to: string; readonly arrivedAt: string }[];
    readonly nextCursor?: string;
  }> {
    const answer = await fetch(`${this.url}/_sim/requests?limit=1000&cursor=${cursor}`);
    return (await answer.json()) as { items: { to: string; arrivedAt: string }[]; nextCursor?: string };
  }

  async post(path: string, body: unknown): Promise<void> {
    return this.change(path === 'knobs' ? 'PUT' : 'POST', path, body);
  }

  async put(path: string, body: unknown): Promise<void> {
    return this.change('PUT', path, body);
  }

  /** Makes an account of the upstream with one phone number. @returns what connects it as a channel */
  async addLine(accessToken: string): Promise<SimulatedLine> {
    const [line] = await this.addLines(accessToken, ['Corner shop']);
    if (!line) throw new Error('no line was added');
    return line;
  }

  /** Makes an account of the upstream with a phone number for each name. @returns what connects them as channels */
  async addLines(accessToken: string, names: readonly string[]): Promise<readonly SimulatedLine[]> {
    const { items } = (await (await fetch(`${this.url}/_sim/accounts`)).json()) as { items: object[] };
    const digits = String(Date.now()).slice(-9);
    const businessAccountId = `77${digits}`;
    const phoneNumbers = names.map((name, index) => ({
      id: `${88 + index}${digits}`,
      displayPhone: `1201555${String(177 + index).padStart(4, '0')}`,
      name,
    }));
    await this.put('accounts', { items: [...items, { token: accessToken, wabaId: businessAccountId, phoneNumbers }] });
    return phoneNumbers.map(({ id }) => ({ phoneNumberId: id, businessAccountId, accessToken }));
  }

  /** The templates of an account. */
  async templates(wabaId: string): Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[] }> {
    const answer = await fetch(`${this.url}/_sim/templates?wabaId=${wabaId}`);
    return (await answer.json()) as { items: Readonly<Record<string, unknown>>[] };
  }

  private async change(method: 'POST' | 'PUT', path: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.url}/_sim/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`/_sim/${path}: ${answer.status} ${await answer.text()}`);
  }
}
