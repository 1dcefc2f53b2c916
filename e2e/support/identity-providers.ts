// Starts a second web process with the data of this run, whose users sign in at an identity
// provider: a certified provider of OpenID Connect, or a SAML provider that is built from a Go
// module.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
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

/** Returns the first line and continues to read: writing to a closed pipe would end the process. */
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

type StartedProvider = { process: ChildProcess; environment: Record<string, string> };

async function startOidc(url: string): Promise<StartedProvider> {
  const process = spawn('node', ['e2e/support/issuer.mjs', ...CLIENT, `${url}/sign-in/callback`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return {
    process,
    environment: {
      SLOWPATH_OIDC_ISSUER: await firstLine(process),
      SLOWPATH_OIDC_CLIENT_ID: CLIENT[0],
      SLOWPATH_OIDC_CLIENT_SECRET: CLIENT[1],
      SLOWPATH_OIDC_NAME: 'Corp',
    },
  };
}

async function startWeb(port: number, environment: Record<string, string>): Promise<ChildProcess> {
  const serve = ['-m', 'uvicorn', 'slowpath.app:create_app', '--factory'];
  const web = spawn(
    '.slowpath/venv/bin/python',
    [...serve, '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: ROOT,
      stdio: 'ignore',
      env: {
        ...process.env,
        PYTHONPATH: `${ROOT}backend:${ROOT}worker`,
        SLOWPATH_PUBLIC_URL: `http://127.0.0.1:${port}`,
        ...environment,
      },
    },
  );
  try {
    await answers(`http://127.0.0.1:${port}/healthz`);
  } catch (error) {
    await stop(web);
    throw error;
  }
  return web;
}

async function stop(...started: ChildProcess[]): Promise<void> {
  for (const one of started) {
    if (one.exitCode !== null) continue;
    one.kill('SIGKILL');
    await once(one, 'exit');
  }
}

export async function openCorp(): Promise<Corp> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = await startOidc(url);
  try {
    const web = await startWeb(port, provider.environment);
    return { url, close: () => stop(web, provider.process) };
  } catch (error) {
    await stop(provider.process);
    throw error;
  }
}

export async function openSamlCorp(): Promise<Corp> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'samlidp-'));
  const program = path.join(folder, 'samlidp');
  execFileSync('go', ['build', '-trimpath', '-o', program, '.'], {
    cwd: `${ROOT}e2e/support/samlidp`,
  });
  const provider = spawn(program, { stdio: ['ignore', 'pipe', 'ignore'] });
  const close = async (...others: ChildProcess[]) => {
    await stop(provider, ...others);
    rmSync(folder, { recursive: true });
  };
  try {
    const address = await firstLine(provider);
    const file = path.join(folder, 'metadata.xml');
    writeFileSync(file, await (await fetch(`${address}/metadata`)).text());
    const web = await startWeb(port, {
      SLOWPATH_SAML_METADATA_FILE: file,
      SLOWPATH_SAML_NAME: 'Corp',
    });
    const body = await (await fetch(`${url}/api/v1/saml/metadata`)).text();
    const registered = await fetch(`${address}/services`, { method: 'POST', body });
    if (!registered.ok) throw new Error(`the provider refused our metadata: ${registered.status}`);
    return { url, close: () => close(web) };
  } catch (error) {
    await close();
    throw error;
  }
}
