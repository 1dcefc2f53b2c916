// A second web process over the same data as this run's, whose people sign in at a certified OpenID provider.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT = ['slowpath', 'a secret of the journeys, long enough to be one'] as const;

export type Corp = { url: string; close: () => Promise<void> };

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  probe.close();
  await once(probe, 'close');
  return address.port;
}

/** Goes on reading afterwards: who writes to a pipe that was closed dies of it. */
async function firstLine(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    process.stdout?.on('data', (part) => {
      output += String(part);
      const [line, ...rest] = output.split('\n');
      if (line !== undefined && rest.length > 0) resolve(line);
    });
    process.once('exit', () => {
      reject(new Error('the provider did not start'));
    });
  });
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    const ok = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`${url} does not answer`);
}

export async function openCorp(): Promise<Corp> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = spawn('node', ['e2e/support/issuer.mjs', ...CLIENT, `${url}/sign-in/callback`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const issuer = await firstLine(provider);
  const web = spawn(
    '.slowpath/venv/bin/python',
    [
      '-m',
      'uvicorn',
      'slowpath.app:create_app',
      '--factory',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    {
      cwd: ROOT,
      stdio: 'ignore',
      env: {
        ...process.env,
        PYTHONPATH: `${ROOT}backend:${ROOT}worker`,
        SLOWPATH_PUBLIC_URL: url,
        SLOWPATH_OIDC_ISSUER: issuer,
        SLOWPATH_OIDC_CLIENT_ID: CLIENT[0],
        SLOWPATH_OIDC_CLIENT_SECRET: CLIENT[1],
        SLOWPATH_OIDC_NAME: 'Corp',
      },
    },
  );
  const close = async () => {
    for (const one of [web, provider]) {
      if (one.exitCode !== null) continue;
      one.kill('SIGKILL');
      await once(one, 'exit');
    }
  };
  try {
    await answers(`${url}/healthz`);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close };
}
