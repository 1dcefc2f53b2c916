import { describe, expect, it } from 'vitest';
import { needsSecretAgain, credentialsOf } from './credentials';

const secrets = { token: ' t ', username: 'ann', password: 'p' };

describe('credentials', () => {
  it('must be entered again when the scheme, host or port of the URL changes', () => {
    const kept = { url: 'https://github.com/a/b', credentials: 'bearer' } as const;
    expect(needsSecretAgain(kept, 'https://github.com/a/c')).toBe(false);
    expect(needsSecretAgain(kept, ' HTTPS://GitHub.com/a/b')).toBe(false);
    expect(needsSecretAgain(kept, 'https://git.example/a/b')).toBe(true);
    expect(needsSecretAgain(kept, 'http://github.com/a/b')).toBe(true);
    expect(needsSecretAgain(kept, 'https://github.com:8443/a/b')).toBe(true);
    expect(needsSecretAgain({ ...kept, credentials: 'none' }, 'https://git.example/a/b')).toBe(
      false,
    );
    expect(needsSecretAgain(null, 'https://git.example/a/b')).toBe(false);
  });

  it('contain only the fields of their kind', () => {
    expect(credentialsOf('none', secrets)).toEqual({ kind: 'none' });
    expect(credentialsOf('bearer', secrets)).toEqual({ kind: 'bearer', token: 't' });
    expect(credentialsOf('basic', secrets)).toEqual({
      kind: 'basic',
      username: 'ann',
      password: 'p',
    });
  });
});
