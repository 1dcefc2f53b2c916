/**
 * Measures the time from a keystroke to the shown matches in the choice of sides, in a headless
 * Chromium. Each text is new, so nothing is cached. Run by bench.source_search_latency; prints one
 * JSON object of milliseconds by kind of source.
 */
import { address, openSignedIn, withBrowser } from './signed_in_browser.mjs';

const ENDINGS = [12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68];
/** The last key of each text is measured; without it, not all matches contain the whole text. */
const SEARCHES = [
  { kind: 'builds', radio: 'Build', texts: ENDINGS.map((n) => `number ${n}5`) },
  {
    kind: 'branches and tags',
    radio: 'Branch or tag',
    texts: ENDINGS.map((n) => `feature/${n}`),
  },
];

/**
 * Runs in the page. Resolves to the milliseconds from the next key to the frame after all matches
 * contain the text.
 */
function waitForMatches(text) {
  const side = document.querySelector('section[aria-label="base"]');
  const areShown = () => {
    const list = side.querySelector('[role=listbox]');
    const options = [...(list?.querySelectorAll('[role=option]') ?? [])];
    const isOld = list?.parentElement?.hasAttribute('data-old') ?? true;
    return !isOld && options.length > 0 && options.every((one) => one.textContent.includes(text));
  };
  return new Promise((resolve) => {
    document.addEventListener(
      'keydown',
      (event) => {
        const look = (now) => {
          if (areShown()) resolve(now - event.timeStamp);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { once: true, capture: true },
    );
  });
}

async function measure(page, { radio, texts }) {
  const side = page.getByRole('region', { name: 'base', exact: true });
  await side.getByRole('radio', { name: radio }).check({ force: true });
  const field = side.getByRole('combobox').last();
  const times = [];
  for (const text of texts) {
    await field.fill(text.slice(0, -1));
    await page.waitForTimeout(1_000);
    await field.press('End');
    const shown = page.evaluate(waitForMatches, text);
    await field.press(text.slice(-1));
    times.push(await shown);
  }
  return times;
}

const found = await withBrowser(async (browser) => {
  const page = await openSignedIn(browser);
  await page.goto(address);
  const times = {};
  for (const search of SEARCHES) times[search.kind] = await measure(page, search);
  return times;
});
console.log(JSON.stringify(found));
