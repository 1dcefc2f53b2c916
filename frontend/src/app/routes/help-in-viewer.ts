/** A report bundle has no user guide: its images and pages would make every bundle larger. */
export const helpRoutes = [] as const;
