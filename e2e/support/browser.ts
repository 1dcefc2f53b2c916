// The headless Chromium of the journeys: the one that `unpack-browser.mjs` unpacked into
// .slowpath/browser, or the path in SLOWPATH_CHROMIUM.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../.slowpath/browser');

export const executablePath = process.env['SLOWPATH_CHROMIUM'] ?? join(folder, 'chromium');

/** Returns its environment: fixed fonts, its own temporary folder, and libraries if needed. */
export function browserEnvironment(): Record<string, string> {
  return {
    ...definedOnly(process.env),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    TMPDIR: temporaryFolder(),
    ...(lacksLibraries() ? { LD_LIBRARY_PATH: join(folder, 'al2023/lib') } : {}),
  };
}

const FOLDER_OF_RUN = 'SLOWPATH_BROWSER_TMP';

/**
 * Returns the temporary folder of the run. The first process that reads the configuration creates
 * it and removes it when it exits; its workers inherit the name.
 */
function temporaryFolder(): string {
  const known = process.env[FOLDER_OF_RUN];
  if (known !== undefined) return known;
  const made = mkdtempSync(join(tmpdir(), 'slowpath-browser-'));
  process.env[FOLDER_OF_RUN] = made;
  process.once('exit', () => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}

function lacksLibraries(): boolean {
  try {
    return execFileSync('ldd', [executablePath], { encoding: 'utf8' }).includes('not found');
  } catch {
    return false;
  }
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
