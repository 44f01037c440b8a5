type Answer = Readonly<Record<string, unknown>>;

/** A signed-in person of the application's API, as a page of ours in a browser is one. */
export class ApplicationSession {
  private constructor(
    private readonly baseUrl: string,
    private readonly cookie: string,
    private readonly csrfToken: string,
  ) {}

  /** @throws Error when the person may not sign in */
  static async begin(
    baseUrl: string,
    { email, password }: { readonly email: string; readonly password: string },
  ): Promise<ApplicationSession> {
    const answer = await fetch(new URL('/app/api/sign-in', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
      body: JSON.stringify({ email, password }),
      signal: AbortSignal.timeout(30_000),
    });
    const body = await read(answer, 'POST /app/api/sign-in');
    const [cookie = ''] = answer.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
    return new ApplicationSession(baseUrl, cookie, String(body['csrfToken']));
  }

  /** @throws Error that quotes the refusal */
  async ask(method: string, path: string, body?: object): Promise<Answer> {
    return read(await this.send(method, path, body), `${method} ${path}`);
  }

  /** What somebody else has deleted is deleted. @throws Error that quotes any other refusal */
  async delete(path: string): Promise<void> {
    const answer = await this.send('DELETE', path);
    if (answer.status === 404) await answer.body?.cancel();
    else await read(answer, `DELETE ${path}`);
  }

  private send(method: string, path: string, body?: object): Promise<Response> {
    return fetch(new URL(path, this.baseUrl), {
      method,
      headers: {
        cookie: this.cookie,
        origin: new URL(this.baseUrl).origin,
        'x-csrf-token': this.csrfToken,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }
}

async function read(answer: Response, what: string): Promise<Answer> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what} was answered ${answer.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Answer);
}
