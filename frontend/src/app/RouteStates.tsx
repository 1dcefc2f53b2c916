import { Button } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState, ErrorState, PageHead, SkeletonRows, useTitle } from '../ui';
import classes from './Shell.module.css';

export function RoutePending() {
  return (
    <div className={classes.inset}>
      <SkeletonRows rows={8} />
    </div>
  );
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div className={classes.inset}>
      <ErrorState
        error={error}
        action={
          <Button
            onClick={() => {
              reset();
              void router.invalidate();
            }}
          >
            Try again
          </Button>
        }
      />
    </div>
  );
}

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <main>
      <PageHead title="Nothing stands at this address" />
      <div className={classes.inset}>
        <EmptyState
          action={
            <Link to="/" className="link">
              To your comparisons
            </Link>
          }
        >
          It may have been deleted, or belong to a team you are not in: the two look the same from
          outside.
        </EmptyState>
      </div>
    </main>
  );
}
