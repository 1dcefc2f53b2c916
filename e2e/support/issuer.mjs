/**
 * Runs a certified OpenID provider on this machine:
 * `node issuer.mjs CLIENT_ID CLIENT_SECRET RETURN_URL...`. Prints its URL as one line. It accepts
 * any login, such as `mira@corp.example`; the prefix `unverified:` marks an email that the provider
 * does not verify. With a `login_hint`, it does not ask for the login.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { Provider } from 'oidc-provider';

const [client_id, client_secret, ...redirect_uris] = process.argv.slice(2);

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

function account(id) {
  const email = id.replace(/^unverified:/u, '');
  return {
    accountId: id,
    claims: () => ({
      sub: `sub-${Buffer.from(id).toString('hex')}`,
      email,
      email_verified: !id.startsWith('unverified:'),
      name: email.split('@')[0].replace(/^./u, (letter) => letter.toUpperCase()),
    }),
  };
}

const provider = new Provider(issuer, {
  clients: [
    {
      client_id,
      client_secret,
      redirect_uris,
      // After signing out, the browser returns to the sign-in page.
      post_logout_redirect_uris: redirect_uris.map((uri) => uri.replace(/\/callback$/u, '')),
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name'],
  },
  findAccount: (_, id) => account(id),
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  pkce: { required: () => true },
  cookies: { keys: ['of the tests, and no secret'] },
  // All requested scopes are granted, because consent is not tested here.
  async loadExistingGrant(context) {
    const grant = new context.oidc.provider.Grant({
      clientId: context.oidc.client.clientId,
      accountId: context.oidc.session.accountId,
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

const FORM = `<!doctype html><html lang="en"><title>Corp</title><h1>Corp</h1>
<form method="post"><label>Email <input name="login" autofocus></label> <button>Continue</button></form></html>`;

async function interact(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  let login = params.login_hint;
  if (request.method === 'POST') {
    const parts = [];
    for await (const part of request) parts.push(part);
    login = new URLSearchParams(Buffer.concat(parts).toString()).get('login');
  }
  if (login) {
    await provider.interactionFinished(request, response, {
      login: { accountId: login },
    });
    return;
  }
  response.setHeader('Content-Type', 'text/html');
  response.end(FORM);
}

const answer = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) answer(request, response);
  else
    interact(request, response).catch((error) => {
      response.statusCode = 500;
      response.end(String(error));
    });
});
process.stdout.write(`${issuer}\n`);
