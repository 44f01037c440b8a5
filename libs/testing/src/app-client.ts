import { eventually } from './eventually.js';

/** An answer of the application's API, read whole. */
export interface AppAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null when there was no JSON. */
  readonly body: AppBody | null;
}

/** What tests look at in a body. */
export interface AppBody {
  readonly id?: string;
  readonly csrfToken?: string;
  readonly items?: readonly AppBody[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly [field: string]: unknown;
}

/** What a person signs in with. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** An answer with what was asked, before anything was made of it. */
export interface AppExchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Uses the application's API as a page of ours in a browser does: with its cookie, its token and its origin. */
export class AppClient {
  /** `name=value` of the session's cookie; null: there is none. */
  cookie: string | null = null;
  /** `name=value` of the cookie by which accounts know the browser again; null: a stranger. */
  deviceCookie: string | null = null;
  csrfToken: string | null = null;

  /** @param onAnswer is shown every answer; what it throws, the request throws */
  constructor(
    private readonly baseUrl: string,
    private readonly onAnswer: (exchange: AppExchange) => void = () => undefined,
  ) {}

  /** A page that is signed in, on a machine that is busy with other work too. @throws Error when it is refused */
  static async signedIn(baseUrl: string, user: Credentials): Promise<AppClient> {
    const client = new AppClient(baseUrl);
    const ask = async (): Promise<AppAnswer | false> => {
      const answer = await client.trySignIn(user);
      return answer.status !== 503 && answer;
    };
    signedInBy(await eventually(ask));
    return client;
  }

  /**
   * Sends one request and keeps what its answer changes of the session.
   *
   * @param headers instead of the usual ones; null leaves one out
   */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<AppAnswer> {
    const usual: Record<string, string | null> = {
      origin: method === 'GET' ? null : new URL(this.baseUrl).origin,
      cookie: [this.cookie, this.deviceCookie].filter((one) => one !== null).join('; ') || null,
      'x-csrf-token': method === 'GET' ? null : this.csrfToken,
      'content-type': body === undefined ? null : 'application/json',
      ...headers,
    };
    const answer = await fetch(new URL(path, this.baseUrl), {
      method,
      redirect: 'manual',
      headers: Object.entries(usual).flatMap(([name, value]): [string, string][] =>
        value === null ? [] : [[name, value]],
      ),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    this.onAnswer({ method, target: path, status: answer.status, headers: answer.headers, text });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const read = {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? (JSON.parse(text) as AppBody) : null,
    };
    this.keep(read);
    return read;
  }

  async get(path: string): Promise<AppAnswer> {
    return this.ask('GET', path);
  }

  async post(path: string, body?: unknown): Promise<AppAnswer> {
    return this.ask('POST', path, body);
  }

  /** @throws Error when it is refused */
  async signIn(user: Credentials): Promise<AppAnswer> {
    return signedInBy(await this.trySignIn(user));
  }

  private trySignIn({ email, password }: Credentials): Promise<AppAnswer> {
    return this.post('/app/api/sign-in', { email, password });
  }

  private keep({ headers, body }: AppAnswer): void {
    for (const set of headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const kept = /max-age=0/i.test(set) ? null : pair;
      if (pair.includes('_device=')) this.deviceCookie = kept;
      else this.cookie = kept;
    }
    if (typeof body?.csrfToken === 'string') this.csrfToken = body.csrfToken;
  }
}

function signedInBy(answer: AppAnswer): AppAnswer {
  if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
