import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { at, server } from '../../../testing/mock-api';
import { aTraceOfSpans } from '../../../testing/span-fixtures';
import { show } from '../../../testing/render';
import WaterfallPage from './WaterfallPage';
import { readWaterfallSearch, waterfallViewOf } from './span-url';

function Page() {
  const [view, setView] = useState(waterfallViewOf(readWaterfallSearch({})));
  return (
    <WaterfallPage
      artifactId="s1"
      traceId={'aa'.repeat(16)}
      above={null}
      view={view}
      onView={setView}
      traceLink={() => null}
      executionLink={() => null}
    />
  );
}

it('WaterfallPage selects the next match with Enter and the previous with Shift+Enter, in a cycle', async () => {
  server.use(
    http.get(at('/span-sets/:id/traces/:trace'), () => HttpResponse.json(aTraceOfSpans())),
    http.get(at('/span-sets/:id/traces/:trace/gap-explanations'), () => HttpResponse.json([])),
  );
  const { user } = show(<Page />);
  await user.type(await screen.findByRole('textbox', { name: /^Find spans/ }), 'i');
  expect(screen.getByText('3 spans, Enter for next')).toBeInTheDocument();
  const selected = () =>
    screen.getByRole('complementary', { name: 'Selected span' }).querySelector('h2')?.textContent;
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  expect(selected()).toMatch(/^ingester/);
  await user.keyboard('{Enter}');
  expect(selected()).toBe('distributor /api/v1/push');
  await user.keyboard('{Enter}');
  expect(selected()).toBe('distributor validate');
  await user.keyboard('{Shift>}{Enter}{Enter}{/Shift}');
  expect(selected()).toMatch(/^ingester/);
});
