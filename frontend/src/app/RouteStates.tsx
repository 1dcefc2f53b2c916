import { Button } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState, ErrorState, HelpLink, PageHeader, SkeletonRows, useTitle } from '../ui';
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
          <>
            <Button
              onClick={() => {
                reset();
                void router.invalidate();
              }}
            >
              Try again
            </Button>
            <HelpLink topic="guide" />
          </>
        }
      />
    </div>
  );
}

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <main>
      <PageHeader title="Page not found" />
      <div className={classes.inset}>
        <EmptyState
          help="guide"
          action={
            <Link to="/" className="link">
              Go to comparisons
            </Link>
          }
        >
          The address is wrong, the page was deleted, or it belongs to a team you are not a member
          of.
        </EmptyState>
      </div>
    </main>
  );
}
