import classes from './Catalog.module.css';

/** Marks a service that belongs to the team's example data. */
export function ExampleBadge() {
  return (
    <span
      className={classes.example}
      title="Part of the example data; remove it on the set-up page"
    >
      example
    </span>
  );
}
