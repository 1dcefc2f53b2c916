import './styles';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { InsecurePage } from '../features/platform/accounts';
import { Providers } from './Providers';
import { queryClient } from './query-client';
import { createAppRouter } from './router';

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');

createRoot(place).render(
  <StrictMode>
    <Providers client={queryClient}>
      {window.isSecureContext ? (
        <RouterProvider router={createAppRouter(queryClient)} />
      ) : (
        <InsecurePage host={window.location.host} />
      )}
    </Providers>
  </StrictMode>,
);
