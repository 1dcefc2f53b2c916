/** URLs of pages in earlier versions: reports, comments, mails and bookmarks still contain them. */
const TEAM = '/t/[^/?#]+';
const FORMER: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(${TEAM})/board(?=[?#]|$)`), '$1/dashboard'],
  [new RegExp(`^(${TEAM})/files(?=[/?#]|$)`), '$1/artifacts'],
  [new RegExp(`^(${TEAM})/traces/`), '$1/execution-traces/'],
  [new RegExp(`^(${TEAM})/spans/`), '$1/span-sets/'],
  [new RegExp(`^(${TEAM})/map(?=[?#]|$)`), '$1/service-map'],
  [new RegExp(`^(${TEAM})/growth(?=[?#]|$)`), '$1/stack-growth'],
  [/^\/forgotten-password(?=[?#]|$)/, '/password-reset'],
  [/^\/new-password(?=[?#]|$)/, '/password-reset/confirm'],
  [/([?&])victim=/, '$1waiter='],
  [/([?&]psort=)payer(?=[&#]|$)/, '$1caller'],
  [/([?&]keep=(?:[a-z]+-)*)people(?![a-z])/, '$1users'],
  [/^\/sign-in\/return(?=[?#]|$)/, '/sign-in/callback'],
];

/** Returns the present URL of a page: path, query and fragment. */
export function presentAddress(href: string): string {
  return FORMER.reduce((address, [pattern, present]) => address.replace(pattern, present), href);
}
